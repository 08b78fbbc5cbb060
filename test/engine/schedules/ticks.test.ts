/** Each tick of a schedule runs once, in time, whatever dies; so does each moment of a backfill. */
import { expect, test } from "vitest";
import { backfillSchedule, putSchedule } from "../../../shared/engine/schedules/change-schedules.ts";
import { MOMENT_HEADER, SCHEDULE_HEADER } from "../../../shared/engine/schedules/start-run.ts";
import { readSchedule } from "../../../shared/engine/store/schedule-record.ts";
import type { Actor, Stage } from "../../harness/engine/engine-fixture.ts";
import type { Handler } from "../../harness/engine/script-context.ts";
import { stages } from "../../harness/engine/stages.ts";
import { schedulePlan } from "../../harness/engine/schedule-plan.ts";

const open = stages();
const SECOND_MS = 1_000;
const MINUTE_MS = 60_000;

/** The runs of the handler: the moment of each, and when it ran. */
interface Ran {
  readonly moment: string;
  readonly lateMs: number;
}

interface Site {
  readonly stage: Stage;
  readonly ran: Ran[];
  /** Ends the process, if one runs, and starts the next. */
  next(): Actor;
}

async function site(handler: (stage: () => Stage, ran: Ran[]) => Handler, more = {}): Promise<Site> {
  const ran: Ran[] = [];
  const found: { stage?: Stage } = {};
  const tick = handler(() => found.stage!, ran);
  const stage = await open(
    { tick, run: tick, add: tick },
    { journalRetentionMs: 0, idempotencyRetentionMs: 0, ...more },
  );
  found.stage = stage;
  let actor: Actor | undefined;
  return {
    stage,
    ran,
    next() {
      actor?.die();
      actor = stage.actor({ soleOwner: true });
      actor.startWorker();
      actor.startSchedules();
      return actor;
    },
  };
}

const noting =
  (stage: () => Stage, ran: Ran[]): Handler =>
  (ctx) => {
    const moment = ctx.journal.headers[MOMENT_HEADER] ?? "";
    ran.push({ moment, lateMs: stage().pulse.nowMs() - Date.parse(moment) });
    return "";
  };

const distinct = (ran: readonly Ran[]): number => new Set(ran.map(({ moment }) => moment)).size;

test("a tick brings its input, and headers that name the schedule and the moment", async () => {
  let seen: unknown;
  const { stage, next } = await site(() => (ctx) => {
    seen = { input: ctx.input, headers: ctx.journal.headers };
    return "";
  });
  const { engine } = next();
  await stage.pulse.within(0, putSchedule(engine, schedulePlan()));
  await stage.pulse.pass(MINUTE_MS);
  expect(seen).toEqual({
    input: '"in"',
    headers: {
      "content-type": "application/json",
      [SCHEDULE_HEADER]: "nightly",
      [MOMENT_HEADER]: "2026-01-01T00:01:00.000Z",
    },
  });
});

test("a schedule of every second has 300 ticks in five minutes with 20 kills, and p99 of their lateness is a second", async () => {
  const { stage, ran, next } = await site(noting);
  const { engine } = next();
  await stage.pulse.within(0, putSchedule(engine, schedulePlan({ timing: { kind: "interval", everyMs: SECOND_MS } })));
  for (let killed = 0; killed < 20; killed++) {
    // A kill at another time within each second.
    await stage.pulse.pass(15_000 - 37 + (killed % 3) * 37);
    next();
  }
  await stage.pulse.pass(2_000);
  expect(distinct(ran)).toBeGreaterThanOrEqual(300);
  expect(ran.length, "each tick runs once").toBe(distinct(ran));
  const late = ran.map(({ lateMs }) => lateMs).toSorted((one, other) => one - other);
  expect(late[Math.floor(late.length * 0.99)]).toBeLessThanOrEqual(SECOND_MS);
});

test("1,000 moments of a backfill run once each, over 20 kills", async () => {
  const { stage, ran, next } = await site(noting);
  let { engine } = next();
  await stage.pulse.within(0, putSchedule(engine, schedulePlan({ endAtMs: stage.pulse.nowMs() - 1 })));
  const belowMs = stage.pulse.nowMs();
  const order = { fromMs: belowMs - 1_000 * MINUTE_MS, belowMs, concurrency: 10 };
  expect(await stage.pulse.within(0, backfillSchedule(engine, "nightly", order))).toMatchObject({ total: 1_000 });
  for (let killed = 0; killed < 20; killed++) {
    const fate = ran.length + 30 + killed;
    const { process, die } = next();
    process.before = (call) => {
      if (ran.length < fate || call.port !== "table") return undefined;
      die();
      return Promise.resolve();
    };
    await stage.pulse.pass(MINUTE_MS);
  }
  ({ engine } = next());
  await stage.pulse.pass(10 * MINUTE_MS);
  expect(distinct(ran)).toBe(1_000);
  const state = (await stage.pulse.within(0, readSchedule(engine, "nightly")))?.state;
  expect(state).toMatchObject({ open: [], backfills: [] });
});
