/** A schedule of every second over kills of the control plane: each tick runs once, and those between kills are in time. */
import { setTimeout as pause } from "node:timers/promises";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { ScheduleBody } from "../../shared/api/contract/schedules.ts";
import { fetch } from "../harness/local/admin-access.ts";
import { SEEN_WITHIN, SEEN_WITHIN_MS } from "../patience.ts";
import { closeStage, openStage, type Stage } from "./stage.ts";

const TICKS = 30;
const KILLS = 6;
const BETWEEN_KILLS_MS = 3_000;
const SECOND_MS = 1_000;

let stage: Stage;

beforeEach(async () => {
  stage = await openStage(SEEN_WITHIN_MS);
});

afterEach(({ task }) => closeStage(stage, task.result?.state === "fail"));

async function ask<Body>(method: string, path: string, body?: object): Promise<Body> {
  const headers = { "content-type": "application/json", accept: "application/json" };
  const sent = body === undefined ? {} : { body: JSON.stringify(body) };
  const answer = await fetch(`${stage.site.adminUri}/${path}`, { method, headers, ...sent });
  expect(answer.ok, `${method} ${path}: ${answer.status}`).toBe(true);
  return (await answer.json()) as Body;
}

test(`${TICKS} ticks, one each second, run once each over ${KILLS} kills`, async () => {
  const { controlPlane } = stage;
  const input = { ops: [{ kind: "run", step: "tick" }] };
  const plan = { service: "Player", handler: "play", input, interval: "1s", overlap: "allow", count: TICKS };
  await ask("PUT", "schedules/every-second", plan);
  for (let killed = 0; killed < KILLS; killed++) {
    await pause(BETWEEN_KILLS_MS + killed * 130);
    await controlPlane.end("SIGKILL");
    controlPlane.start();
    await controlPlane.ready();
  }
  const ended = await vi.waitFor(async () => {
    const body = await ask<ScheduleBody>("GET", "schedules/every-second");
    expect(body).toMatchObject({ status: "ended", started: TICKS });
    expect(body.runs.filter(({ outcome }) => outcome === "open")).toEqual([]);
    return body;
  }, SEEN_WITHIN);
  const query = "SELECT count(*) AS n FROM sys_invocation WHERE invoked_by = 'schedule' AND outcome = 'succeeded'";
  const { rows } = await ask<{ readonly rows: readonly { readonly n: number }[] }>("POST", "query", { query });
  expect(rows).toEqual([{ n: TICKS }]);
  const late = ended.runs
    .slice(0, 3)
    .map(({ moment, started_at: started }) => Date.parse(started ?? "") - Date.parse(moment));
  expect(Math.max(...late), "the last ticks, after the last kill").toBeLessThanOrEqual(
    SECOND_MS * stage.yardstick.slowness,
  );
});
