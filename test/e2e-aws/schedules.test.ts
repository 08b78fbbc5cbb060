/** Schedules over functions: ticks over kills of workers, a pause, triggers, a deletion, and the schedule of a CDK stack. */
import { randomUUID } from "node:crypto";
import * as restate from "@restatedev/restate-sdk";
import { beforeAll, expect, test } from "vitest";
import { FUNCTIONS_FOLDER } from "../../infra/build/bundle.mjs";
import type { ScheduleBody } from "../../shared/api/contract/schedules.ts";
import { aws, ControlPlane, pause, until } from "./control-plane.ts";
import { synthesiseSchedule } from "./deployments/schedule-stack.ts";
import { assembly, deployAssembly, destroyAssembly } from "./deployments/stacks.mjs";
import { processesOf, signal } from "./function-processes.ts";
import { sweep } from "./hints.ts";
import { serve } from "./url-deployment.ts";

const plane = new ControlPlane(aws.plain);
/** A stack of an earlier run still has the schedules of that run. */
const RUN = randomUUID().slice(0, 8);
const SERVICE = `Clocked${RUN}`;
const named = (what: string): string => `${what}-${RUN}`;

const FIRST_AFTER_MS = 6_000;
/** The counted ones tick for the second time after the others, so that kills meet only theirs. */
const COUNTED_EVERY_MS = 80_000;
const KILLS = 4;
const BETWEEN_KILLS_MS = 2_500;
const COUNT = 2;
/** Their moments are a second apart, so that the kills meet them at different steps. */
const COUNTED = Array.from({ length: 6 }, (_, at) => named(`counted-${at}`));
/** These have no last moment. */
const [WITNESS, PAUSED, DELETED] = [named("witness"), named("paused"), named("deleted")];

interface Ran {
  readonly id: string;
  readonly momentMs: number;
}

/** The runs that the handler has noted, by the name of the schedule. A repeated attempt notes its run again. */
const ran = new Map<string, Ran[]>();
const startsAtMs = new Map<string, number>();
let uri = "";
let firstMs = 0;

const clocked = restate.service({
  name: SERVICE,
  handlers: {
    tick: async (ctx: restate.Context) => {
      const { headers, id } = ctx.request();
      const schedule = headers.get("x-stepwell-schedule") ?? "";
      const momentMs = Date.parse(headers.get("x-stepwell-scheduled-at") ?? "");
      ran.set(schedule, [...(ran.get(schedule) ?? []), { id: Buffer.from(id).toString("hex"), momentMs }]);
      await ctx.run("step", () => undefined);
      return schedule;
    },
  },
});

/** @returns the moments of the invocations, each invocation once */
function momentsOf(schedule: string): readonly number[] {
  const byId = new Map((ran.get(schedule) ?? []).map(({ id, momentMs }) => [id, momentMs]));
  return [...byId.values()].toSorted((one, other) => one - other);
}

async function ask(method: string, path: string, body?: object) {
  const sent = body && { body: JSON.stringify(body), headers: { "content-type": "application/json" } };
  const { status, text } = await plane.askAdmin({ method, path: `/schedules/${path}`, ...sent });
  return { status, text, body: status < 300 && text !== "" ? (JSON.parse(text) as ScheduleBody) : undefined };
}

async function shown(name: string): Promise<ScheduleBody> {
  const { body, text } = await ask("GET", name);
  return body ?? expect.unreachable(text);
}

async function put(name: string, startMs: number, more: object): Promise<void> {
  const start = new Date(startMs).toISOString();
  const plan = { service: SERVICE, handler: "tick", start, overlap: "allow", ...more };
  expect(await ask("PUT", name, plan)).toMatchObject({ status: 201, body: { status: "active", started: 0 } });
  startsAtMs.set(name, startMs);
}

/**
 * Kills the workers several times, the first time just before a moment. A killed worker takes wakes along, so passes of the sweeper,
 * which the emulator starts too seldom for a test, look for what is overdue.
 */
async function overKills(momentMs: number, what: string, probe: () => Promise<boolean>): Promise<void> {
  await pause(Math.max(0, momentMs - 1_000 - Date.now()));
  let killed = 0;
  for (let round = 0; round < KILLS; round++) {
    const workers = processesOf([aws.plain.outputs["WorkerFunction"]!]);
    signal(workers, "SIGKILL");
    killed += workers.length;
    await pause(BETWEEN_KILLS_MS);
  }
  expect(killed).toBeGreaterThan(0);
  await untilSwept(what, probe);
}

async function untilSwept(what: string, probe: () => Promise<boolean>): Promise<void> {
  await until(what, async () => {
    if (await probe()) return true;
    await sweep(aws.plain);
    await pause(1_000);
    return undefined;
  });
}

beforeAll(async () => {
  uri = await serve([clocked]);
  await plane.register({ uri });
  firstMs = Date.now() + FIRST_AFTER_MS;
  await Promise.all([
    ...COUNTED.map((name, at) => put(name, firstMs + at * 1_000, { interval: "80s", count: COUNT })),
    // The shortest interval on AWS. The witness ticks after the two, so that a wrong tick of these would come before its tick.
    ...[PAUSED, DELETED].map((name) => put(name, firstMs, { interval: "1m" })),
    put(WITNESS, firstMs + 3_000, { interval: "1m" }),
  ]);
});

test("the first ticks run although workers are killed", async () => {
  const all = [...COUNTED, WITNESS, PAUSED, DELETED];
  await overKills(firstMs, "each schedule has ticked", () =>
    Promise.resolve(all.every((name) => momentsOf(name).length > 0)),
  );
});

test("a paused schedule and a deleted one tick no more, while another one goes on; a trigger runs also during the pause", async () => {
  const paused = await ask("POST", `${PAUSED}/pause`, { note: "the source moves" });
  expect(paused).toMatchObject({ status: 200, body: { status: "paused", pause: { note: "the source moves" } } });
  expect((await ask("DELETE", DELETED)).status).toBe(202);
  const stoppedAtMs = Date.now();
  const [first, again] = [
    await ask("POST", `${PAUSED}/trigger`, { request_id: "once" }),
    await ask("POST", `${PAUSED}/trigger`, { request_id: "once" }),
  ].map(({ text }) => JSON.parse(text) as { readonly invocation_id: string; readonly status: string });
  expect(again).toEqual({ ...first, status: "previously-accepted" });
  expect(await plane.result(first!.invocation_id)).toBe(PAUSED);

  await untilSwept("the other one ticks", () =>
    Promise.resolve(momentsOf(WITNESS).some((momentMs) => momentMs > stoppedAtMs)),
  );
  // The trigger has the moment of its order.
  expect(momentsOf(PAUSED).filter((momentMs) => momentMs >= stoppedAtMs)).toHaveLength(1);
  expect(momentsOf(DELETED).filter((momentMs) => momentMs >= stoppedAtMs)).toEqual([]);
  for (const name of [PAUSED, DELETED, WITNESS]) expect(new Set(momentsOf(name)).size).toBe(momentsOf(name).length);
  expect((await ask("GET", DELETED)).status).toBe(404);
  expect((await shown(PAUSED)).status).toBe("paused");
  const resumed = await ask("POST", `${PAUSED}/resume`, {});
  expect(resumed.body).toMatchObject({ status: "active" });
  expect(Date.parse(resumed.body!.next[0]!)).toBeGreaterThan(stoppedAtMs);
  for (const name of [PAUSED, WITNESS]) expect((await ask("DELETE", name)).status).toBe(202);
});

test(`over the kills, schedules of ${COUNT} ticks have ended with ${COUNT} runs, one for each moment`, async () => {
  const areOver = async (): Promise<boolean> => {
    const all = await Promise.all(COUNTED.map(shown));
    return all.every(({ status, runs }) => status === "ended" && runs.every(({ outcome }) => outcome === "succeeded"));
  };
  await overKills(firstMs + COUNTED_EVERY_MS, "they have ended", areOver);
  for (const name of COUNTED) {
    const moments = Array.from({ length: COUNT }, (_, at) => startsAtMs.get(name)! + at * COUNTED_EVERY_MS);
    const { runs, started } = await shown(name);
    expect(started).toBe(COUNT);
    expect(runs.map(({ moment }) => Date.parse(moment))).toEqual(moments.toReversed());
    expect(momentsOf(name)).toEqual(moments);
  }
});

test("the schedule of a CDK stack is made after its deployment, changed with the stack and deleted with it", async () => {
  const [adminId] = aws.plain.admin.host.split(".");
  const stackName = "StepwellE2eSchedules";
  const name = named("stacked");
  const synthesised = (version: string, when: { readonly interval?: string; readonly cron?: string }): void =>
    synthesiseSchedule(assembly(version), {
      stackName,
      handlersUrl: uri,
      codeFolder: FUNCTIONS_FOLDER,
      admin: {
        environment: "stepwell-e2e",
        url: `${aws.endpoint}/_aws/execute-api/${adminId}/$default`,
        arn: `arn:aws:execute-api:us-east-1:000000000000:${adminId}`,
      },
      name,
      service: SERVICE,
      handler: "tick",
      catchUp: "6h",
      ...when,
    });
  const deployed = async (version: string) => await deployAssembly(aws.endpoint, version, stackName);

  synthesised("schedule-hourly", { interval: "1h" });
  await deployed("schedule-hourly");
  expect(await shown(name)).toMatchObject({ service: SERVICE, interval: "1h", catch_up: "6h", generation: 1 });

  synthesised("schedule-nightly", { cron: "0 2 * * *" });
  await deployed("schedule-nightly");
  expect(await shown(name)).toMatchObject({ cron: "0 2 * * *", generation: 2 });

  synthesised("schedule-refused", { cron: "0 25 * * *" });
  await expect(deployed("schedule-refused")).rejects.toThrow(/the schedule \S+ is not made: .*META0901/);
  expect(await shown(name)).toMatchObject({ cron: "0 2 * * *" });

  await destroyAssembly(aws.endpoint, "schedule-nightly", stackName);
  expect((await ask("GET", name)).status).toBe(404);
});
