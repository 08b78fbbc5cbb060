/**
 * Which deployments get whole requests, which end before the answer begins, in place of open exchanges, and when one open
 * exchange probes whether they still need whole requests (ADR 0008).
 */
import { expect, test } from "vitest";
import type { DeploymentId } from "../../../shared/core/model/ids.ts";
import { EarlyAnswers } from "../../../shared/engine/local/open-streams.ts";

const SLOW = "dp_slow" as DeploymentId;
const OTHER = "dp_other" as DeploymentId;
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

test("a deployment that held one request back gets whole requests for a minute, and others are not affected", () => {
  const answers = new EarlyAnswers();
  answers.noteHeldBack(SLOW, 0, 2_000);
  expect(answers.mayStayOpen(SLOW, 2_000)).toBe(false);
  expect(answers.mayStayOpen(SLOW, MINUTE_MS + 1_999)).toBe(false);
  expect(answers.mayStayOpen(OTHER, 2_000)).toBe(true);
});

test("after the minute one exchange probes, and a probe without an outcome leaves room for the next one", () => {
  const answers = new EarlyAnswers();
  answers.noteHeldBack(SLOW, 0, 2_000);
  const probes = [0, 1, 29_999, 30_000, 30_001].map((ms) => answers.mayStayOpen(SLOW, 2_000 + MINUTE_MS + ms));
  expect(probes).toEqual([true, false, false, true, false]);
});

test("each probe that is held back doubles the time, up to an hour", () => {
  const answers = new EarlyAnswers();
  let nowMs = 2_000;
  answers.noteHeldBack(SLOW, 0, nowMs);
  const minutes: number[] = [];
  for (let times = 0; times < 9; times++) {
    const fromMs = nowMs;
    while (!answers.mayStayOpen(SLOW, nowMs)) nowMs += 1_000;
    minutes.push((nowMs - fromMs) / MINUTE_MS);
    answers.noteHeldBack(SLOW, nowMs, nowMs + 2_000);
    nowMs += 2_000;
  }
  expect(minutes).toEqual([1, 2, 4, 8, 16, 32, 60, 60, 60]);
});

test("exchanges that began before the first one was seen to be held back do not lengthen the time", () => {
  const answers = new EarlyAnswers();
  for (const startedAtMs of [0, 10, 500, 1_999]) answers.noteHeldBack(SLOW, startedAtMs, startedAtMs + 2_000);
  expect(answers.mayStayOpen(SLOW, 2_000 + MINUTE_MS)).toBe(true);
});

test("an early answer ends the time of whole requests, and the next one begins with a minute", () => {
  const answers = new EarlyAnswers();
  answers.noteHeldBack(SLOW, 0, 2_000);
  answers.noteHeldBack(SLOW, HOUR_MS, HOUR_MS + 2_000);
  answers.noteEarly(SLOW);
  expect([answers.mayStayOpen(SLOW, HOUR_MS + 2_000), answers.isKnown(SLOW)]).toEqual([true, true]);
  answers.noteHeldBack(SLOW, 2 * HOUR_MS, 2 * HOUR_MS + 10_000);
  expect(answers.isKnown(SLOW)).toBe(false);
  expect(answers.mayStayOpen(SLOW, 2 * HOUR_MS + 10_000 + MINUTE_MS)).toBe(true);
});

test("more deployments than the memory holds clear it as a whole", () => {
  const answers = new EarlyAnswers();
  for (let index = 0; index < 10_001; index++) answers.noteHeldBack(`dp_${index}` as DeploymentId, 0, 0);
  expect([answers.mayStayOpen("dp_0" as DeploymentId, 1), answers.mayStayOpen("dp_10000" as DeploymentId, 1)]).toEqual([
    true,
    false,
  ]);
});
