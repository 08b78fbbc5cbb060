/** The outcome of an invocation in its own view, in the rows and filters of the list, and in SQL. */
import { expect, test } from "vitest";
import type { EndOutcome } from "../../../shared/core/invocation/end-outcome.ts";
import type { InvocationId } from "../../../shared/core/model/ids.ts";
import { cancel } from "../../../shared/engine/operate/orders.ts";
import { inspect } from "../../../shared/engine/operate/inspect.ts";
import { purgeJournal } from "../../../shared/engine/operate/purge.ts";
import { causeId } from "../../../shared/core/query/cause.ts";
import { type DetailsFilter, listByDetails } from "../../../shared/engine/query/list-by-details.ts";
import { listInvocations } from "../../../shared/engine/query/list-invocations.ts";
import { RowReader } from "../../../shared/engine/query/row-details.ts";
import { kill } from "../../../shared/engine/recover/kill.ts";
import { sendOn } from "../../harness/engine/engine-fixture.ts";
import { complete } from "../../harness/engine/ended-invocations.ts";
import { TerminalError } from "../../harness/engine/script-awaits.ts";
import type { Handler } from "../../harness/engine/script-context.ts";
import { PROJECTED } from "../../harness/engine/counted-table.ts";
import { ReadMeter } from "../../harness/engine/read-meter.ts";
import { stages } from "../../harness/engine/stages.ts";
import { rowsOf } from "../../harness/engine/statements.ts";
import { narrowed } from "../../harness/engine/narrowed.ts";

const open = stages();
const HOUR_MS = 3_600_000;
const FAR_MS = 4_000_000_000_000;

const handlers: Record<string, Handler> = {
  greets: () => "hello",
  refuses: () => {
    throw new TerminalError(418, "not today");
  },
  conflicts: async (ctx) => {
    await ctx.get(ctx.run("look", () => "taken"));
    throw new TerminalError(409, "it is taken");
  },
  naps: async (ctx) => await ctx.get(ctx.sleep(FAR_MS)),
  stumbles: () => {
    throw new Error("never well");
  },
};

/** Runs one invocation of each outcome, one whose handler throws a 409 without a cancel, and two that stay open. */
async function play() {
  const stage = await open(handlers, { retry: { initialIntervalMs: HOUR_MS, maxIntervalMs: HOUR_MS } });
  const actor = stage.actor();
  actor.startWorker();
  const sent = async (handler: string): Promise<InvocationId> => {
    const { invocationId } = await sendOn(actor, handler);
    await stage.pulse.settle();
    return invocationId;
  };
  const ids = {
    greets: await sent("greets"),
    refuses: await sent("refuses"),
    conflicts: await sent("conflicts"),
    cancelled: await sent("naps"),
    killed: await sent("naps"),
    sleeps: await sent("naps"),
    stumbles: await sent("stumbles"),
  };
  await stage.pulse.within(1_000, cancel(actor.engine, ids.cancelled));
  await stage.pulse.within(1_000, kill(actor.engine, ids.killed));
  await stage.pulse.settle();
  return { stage, actor, ids };
}

const ENDS: readonly (readonly [keyof Awaited<ReturnType<typeof play>>["ids"], EndOutcome])[] = [
  ["greets", "succeeded"],
  ["refuses", "failed"],
  ["conflicts", "failed"],
  ["cancelled", "cancelled"],
  ["killed", "killed"],
];

test.each(["with its journal", "without its journal"])(
  "every view shows the outcome of an invocation %s",
  async (how) => {
    const { stage, actor, ids } = await play();
    if (how === "without its journal")
      for (const [name] of ENDS) await stage.pulse.within(1_000, purgeJournal(actor.engine, ids[name]));
    const { invocations } = await listInvocations(actor.engine, new Map(), { limit: 100 });
    const rows = await new RowReader(actor.engine).details(invocations);
    const inSql = await rowsOf(actor, "select id, outcome from sys_invocation");
    for (const [name, outcome] of ENDS) {
      const id = ids[name];
      expect.soft((await inspect(actor.engine, id))?.outcome, name).toBe(outcome);
      expect.soft(rows.find((row) => row.id === id)?.outcome, name).toBe(outcome);
      expect.soft(inSql.find((row) => row["id"] === id)?.["outcome"], name).toBe(outcome);
    }
    for (const id of [ids.sleeps, ids.stumbles]) {
      expect((await inspect(actor.engine, id))?.outcome).toBeUndefined();
      expect(rows.find((row) => row.id === id)?.outcome).toBeUndefined();
    }
  },
);

test("rows show the end, the attempts, the next attempt and the failure", async () => {
  const { actor, ids } = await play();
  const { invocations } = await listInvocations(actor.engine, new Map(), { limit: 100 });
  const rows = new Map((await new RowReader(actor.engine).details(invocations)).map((row) => [row.id, row]));
  expect(rows.get(ids.refuses)).toMatchObject({
    attempts: 1,
    endedAtMs: expect.any(Number) as number,
    failure: { code: 418, message: "not today" },
  });
  expect(rows.get(ids.stumbles)).toMatchObject({
    attempts: 1,
    nextRetryAtMs: expect.any(Number) as number,
    lastFailure: { errorCode: "RT0007", message: "never well" },
  });
  expect(rows.get(ids.sleeps)).toMatchObject({ attempts: 1, wakeAtMs: FAR_MS });
});

test("a list by outcome contains only invocations with these outcomes, on all pages", async () => {
  const { actor, ids } = await play();
  const listed = async (outcomes: EndOutcome[], limit: number) => {
    const found: string[] = [];
    let after: Awaited<ReturnType<typeof listByDetails>>["next"];
    do {
      const page = await listByDetails(actor.engine, new Map(), { outcomes: new Set(outcomes) }, { limit, after });
      expect(page.invocations.length).toBeLessThanOrEqual(limit);
      found.push(...page.invocations.map(({ id }) => id));
      after = page.next;
    } while (after !== undefined);
    return found;
  };
  expect((await listed(["failed"], 1)).sort()).toEqual([ids.refuses, ids.conflicts].sort());
  expect(await listed(["killed"], 100)).toEqual([ids.killed]);
  expect((await listed(["succeeded", "cancelled"], 1)).sort()).toEqual([ids.greets, ids.cancelled].sort());
  const open = await listByDetails(
    actor.engine,
    narrowed({ status: ["suspended"] }),
    { outcomes: new Set(["failed"]) },
    { limit: 100 },
  );
  expect(open.invocations).toEqual([]);
});

test("completed invocations are listed by the deployment of their last attempt, and failures by their cause", async () => {
  const { actor, ids } = await play();
  const [deployment] = await actor.engine.registry.deployments();
  const listed = async (wanted: DetailsFilter, statuses?: readonly ["completed"]) => {
    const { invocations } = await listByDetails(
      actor.engine,
      statuses === undefined ? new Map() : narrowed({ status: statuses }),
      wanted,
      { limit: 100 },
    );
    return invocations.map(({ id }) => id).sort();
  };
  const ended = [ids.greets, ids.refuses, ids.conflicts, ids.cancelled, ids.killed];
  const here = await listed({ deployments: new Set([deployment!.id]) }, ["completed"]);
  expect(here).toEqual(expect.arrayContaining(ended.filter((id) => id !== ids.killed)));
  expect(await listed({ deployments: new Set(["dp_1other"]) })).toEqual([]);
  expect(await listed({ deployments: new Set([deployment!.id]) })).toEqual(
    expect.arrayContaining([...here, ids.sleeps]),
  );
  const cause = causeId({ code: "RT0007", message: "never well" });
  expect(await listed({ causes: new Set([cause]) })).toEqual([ids.stumbles]);
  expect(await listed({ causes: new Set([causeId({ code: "418", message: "not today" })]) })).toEqual([ids.refuses]);
});

test("one page by outcome reads a bounded number of ends, and the next page goes on from there", async () => {
  const { stage, actor } = await play();
  await complete(stage.stores.table, actor.engine, 1_000, HOUR_MS);
  const table = new ReadMeter(actor.engine.table, PROJECTED);
  const engine = { ...actor.engine, table };
  const page = await listByDetails(engine, new Map(), { outcomes: new Set(["failed"]) }, { limit: 100 });
  expect(page.next).toBeDefined();
  // The units pay for the list itself, for one segment of each row in batches, and for one more read of each row whose end came
  // after several segments.
  expect(table.units).toBeLessThanOrEqual(1_200);
  let after = page.next;
  const found = [...page.invocations];
  for (let pages = 0; after !== undefined && pages < 5; pages++) {
    const more = await listByDetails(engine, new Map(), { outcomes: new Set(["failed"]) }, { limit: 100, after });
    found.push(...more.invocations);
    after = more.next;
  }
  expect(found).toHaveLength(2);
});
