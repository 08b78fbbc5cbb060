/** Tests the list of attempts: each attempt is in it once, with the stored moments, and what is not stored is unknown. */
import { describe, expect, test } from "vitest";
import {
  type AttemptFacts,
  attemptMarks,
  countOf,
  numberText,
  outcomeText,
} from "../../../../ui/model/timeline/attempts.ts";
import { at, failureAt, ORIGIN_MS } from "./sample-facts.ts";

const facts = (more: Partial<AttemptFacts>): AttemptFacts => ({
  attempts: 1,
  attempt_spans: [],
  events: [],
  status: "completed",
  ...more,
});
const span = (attempt: number, fromMs: number, toMs: number, entry = 1) => ({
  attempt,
  started_at: at(fromMs),
  ended_at: at(toMs),
  entry,
});
const shown = (marks: ReturnType<typeof attemptMarks>) =>
  marks.map((mark) => [
    numberText(mark),
    mark.kind,
    mark.startMs === undefined ? "?" : mark.startMs - ORIGIN_MS,
    mark.endMs === undefined ? "?" : mark.endMs - ORIGIN_MS,
  ]);

describe("the attempts", () => {
  test("that stored entries have a lower bound of their end, and the one that ended the invocation has its end", () => {
    const marks = attemptMarks(
      facts({ attempts: 2, attempt_spans: [span(1, 0, 50), span(2, 900, 990, 4)], completed_at: at(990) }),
    );
    expect(shown(marks)).toEqual([
      ["1", "stored", 0, 50],
      ["2", "ended", 900, 990],
    ]);
    expect(outcomeText(marks[0]!)).toContain("how it ended is not stored");
  });

  test("that failed count one by one: the first and the last have their moments, the others are unknown between them", () => {
    const failure = failureAt(20, {
      attempt: 2,
      started_at: at(10),
      times: 12,
      last: { attempt: 13, started_at: at(700), at: at(710) },
    });
    const marks = attemptMarks(facts({ attempts: 14, events: [failure], attempt_spans: [span(1, 0, 5)] }));
    expect(shown(marks)).toEqual([
      ["1", "stored", 0, 5],
      ["2", "failed", 10, 20],
      ["3 to 12", "repeated", "?", "?"],
      ["13", "failed", 700, 710],
      ["14", "unknown", "?", "?"],
    ]);
    expect(marks.reduce((sum, mark) => sum + (countOf(mark) ?? 0), 0)).toBe(14);
    expect(outcomeText(marks[1]!)).toBe("failed: RT0007 boom");
  });

  test("that failed after they had stored entries are failed, and are there once", () => {
    const failure = failureAt(60, { attempt: 1, started_at: at(0) });
    expect(shown(attemptMarks(facts({ events: [failure], attempt_spans: [span(1, 0, 60)] })))).toEqual([
      ["1", "failed", 0, 60],
    ]);
  });

  test("that were lost with their process are unknown, and take no place on the scale", () => {
    expect(
      shown(attemptMarks(facts({ attempts: 3, attempt_spans: [span(3, 500, 600)], completed_at: at(600) }))),
    ).toEqual([
      ["1 to 2", "unknown", "?", "?"],
      ["3", "ended", 500, 600],
    ]);
  });

  test("that run have no end, with stored entries or without", () => {
    const running = facts({ status: "running", attempt_spans: [span(1, 0, 40)] });
    expect(shown(attemptMarks(running))).toEqual([["1", "running", 0, "?"]]);
    const silent = facts({ status: "running", waits_for: [{ kind: "attempt", since: at(7), attempt: 1 }] });
    expect(shown(attemptMarks(silent))).toEqual([["1", "running", 7, "?"]]);
  });

  test("of an older format have no number and perhaps no beginning: no gap between them is claimed", () => {
    const old = failureAt(20);
    expect(shown(attemptMarks(facts({ attempts: 5, events: [old], attempt_spans: [span(3, 30, 40)] })))).toEqual([
      ["?", "failed", "?", 20],
      ["3", "stored", 30, 40],
    ]);
  });
});
