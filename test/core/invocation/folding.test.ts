import { expect, test } from "vitest";
import { accepted, fold, Folding } from "../../../shared/core/invocation/invocation.ts";
import { openRuns, openSleeps } from "../../../shared/core/invocation/journal.ts";
import { NO_RETRIES, type Segment } from "../../../shared/core/invocation/segment.ts";
import { ACCEPTANCE, completion, FAILURE, INPUT, output, PIN, run, signal, sleep, taken } from "./sample-invocation.ts";

function segment(index: number, more: Partial<Segment>): Segment {
  const kept = { index, writtenAtMs: index, consumed: [], entries: [], after: { kind: "running" as const } };
  return { ...kept, retries: NO_RETRIES, ...more };
}

const SEGMENTS = [
  segment(1, { entries: [run(1), completion(1), sleep(2, 50)], pin: PIN }),
  segment(2, { consumed: [taken("s17", signal(17))], entries: [run(3), sleep(4, 40)], failure: FAILURE }),
  segment(3, { consumed: [taken("c2", completion(2))] }),
  segment(4, { entries: [completion(6), sleep(6, 30), output()] }),
];

test("folding many segments in place equals folding them one by one", () => {
  const first = accepted(ACCEPTANCE, INPUT);
  const folding = new Folding(first);
  let folded = first;
  for (const one of SEGMENTS) {
    folding.add(one);
    folded = fold(folded, one);
    expect(folding.invocation).toEqual(folded);
  }
  expect(first).toEqual(accepted(ACCEPTANCE, INPUT));
});

test("folding leaves the earlier invocation unchanged", () => {
  const before = SEGMENTS.slice(0, 2).reduce(fold, accepted(ACCEPTANCE, INPUT));
  const copy = structuredClone(before);
  fold(before, SEGMENTS[2]!);
  fold(before, SEGMENTS[3]!);
  expect(before).toEqual(copy);
});

test("a run or a sleep without a notification is open, and a notification may come before its command", () => {
  const { journal } = SEGMENTS.reduce(fold, accepted(ACCEPTANCE, INPUT));
  expect(openRuns(journal)).toEqual(new Set([3]));
  expect(openSleeps(journal)).toEqual([{ completionId: 4, wakeAtMs: 40 }]);
});
