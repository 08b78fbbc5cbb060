/** Tests that orders to an invocation with large results in its journal read none of these results. */
import { expect, test } from "vitest";
import type { InvocationId } from "../../../shared/core/model/ids.ts";
import type { Engine } from "../../../shared/engine/engine.ts";
import { currentLife, deliverSignal, orderKill } from "../../../shared/engine/messaging/deliver.ts";
import { cancel, pause } from "../../../shared/engine/operate/orders.ts";
import { inspect } from "../../../shared/engine/operate/inspect.ts";
import type { Range } from "../../../shared/engine/ports/table.ts";
import { kill } from "../../../shared/engine/recover/kill.ts";
import { type Actor, sendOn } from "../../harness/engine/engine-fixture.ts";
import { stages } from "../../harness/engine/stages.ts";

const open = stages();
const RESULTS = 8;
const FIRST_SIGNAL = 17;

/** @returns a list to which each later query of pieces adds the sort key where the query begins */
function pieceReads({ process }: Actor): string[] {
  const found: string[] = [];
  process.before = ({ port, method, args }) => {
    const { from = "" } = (args[1] ?? {}) as Range;
    if (port === "table" && method === "query" && from.startsWith("blob#")) found.push(from);
    return undefined;
  };
  return found;
}

async function ordered(act: (engine: Engine, id: InvocationId) => Promise<unknown>) {
  const stage = await open({
    waits: async (ctx) => {
      const results = Array.from({ length: RESULTS + 1 }, () => ctx.awakeable().result);
      for (const result of results) await ctx.get(result);
      return "done";
    },
  });
  const first = stage.actor();
  first.startWorker();
  const { invocationId: id } = await sendOn(first, "waits");
  await stage.pulse.pass(100);
  for (let at = 0; at < RESULTS; at++) {
    const [index, value] = [FIRST_SIGNAL + at, new Uint8Array(1_000_000)];
    await deliverSignal(first.engine, id, `s${index}`, { index }, { kind: "success", value });
  }
  await stage.pulse.pass(20_000);
  expect(await inspect(first.engine, id)).toMatchObject({ status: "suspended" });
  first.die();
  const actor = stage.actor();
  const reads = pieceReads(actor);
  await stage.pulse.within(1_000, act(actor.engine, id));
  return { stage, actor, id, reads };
}

test.each([
  ["a kill", kill],
  ["a cancel", cancel],
  ["a pause", pause],
])("%s reads no result", async (_, act) => {
  expect((await ordered(act)).reads).toEqual([]);
});

test("a worker that finds the order to kill reads no result", async () => {
  const order = async (engine: Engine, id: InvocationId) => await orderKill(engine, (await currentLife(engine, id))!);
  const { stage, actor, id, reads } = await ordered(order);
  actor.startWorker();
  await stage.pulse.pass(1_000);
  expect(reads).toEqual([]);
  expect((await inspect(actor.engine, id))!.outcome).toBe("killed");
});
