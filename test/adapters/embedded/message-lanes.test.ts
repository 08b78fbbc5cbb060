/** Tests the order in which lanes serve their messages, and the next due time. */
import { expect, test } from "vitest";
import { type InLane, MessageLanes } from "../../../shared/adapters/embedded/embedded-queue.ts";

interface Sample extends InLane {
  readonly name: string;
}

let order = 0;

function sample(lane: string, name: string): Sample {
  return { lane, name, dueAtMs: 0, order: order++, heapIndex: -1 };
}

/** Hands out the messages due at `nowMs`, and removes them. */
function served(
  lanes: MessageLanes<Sample>,
  nowMs: number,
  limit: number,
  admits: (lane: string) => boolean = () => true,
) {
  const names: string[] = [];
  lanes.serve(nowMs, limit, admits, (message) => {
    names.push(message.name);
    lanes.remove(message);
  });
  return names;
}

test("lanes are served in turn, each in the order in which its messages are due", () => {
  const lanes = new MessageLanes<Sample>();
  for (let at = 0; at < 1_000; at++) lanes.place(sample("hog", `hog ${at}`), at);
  lanes.place(sample("good", "good 0"), 900);
  lanes.place(sample("good", "good 1"), 800);
  expect(served(lanes, 1_000, 3)).toEqual(["hog 0", "good 1", "hog 1"]);
  expect(served(lanes, 1_000, 2)).toEqual(["good 0", "hog 2"]);
  expect(lanes.size).toBe(997);
});

test("a lane that is not admitted is skipped, and its messages do not set the next due time", () => {
  const lanes = new MessageLanes<Sample>();
  lanes.place(sample("hog", "hog"), 1);
  lanes.place(sample("good", "good"), 50);
  const asked: string[] = [];
  const admits = (lane: string): boolean => (asked.push(lane), lane !== "hog");
  expect(served(lanes, 10, 5, admits)).toEqual([]);
  expect(lanes.nextDueMs()).toBe(50);
  expect(served(lanes, 60, 5, admits)).toEqual(["good"]);
  expect(asked).toEqual(["hog", "hog", "good"]);
  expect(lanes.nextDueMs()).toBe(undefined);
  expect(served(lanes, 60, 5)).toEqual(["hog"]);
});

test("messages that are not due are not handed out, and the earliest of them sets the next due time", () => {
  const lanes = new MessageLanes<Sample>();
  const [soon, late] = [sample("a", "soon"), sample("b", "late")];
  lanes.place(soon, 10);
  lanes.place(late, 20);
  expect(served(lanes, 9, 5)).toEqual([]);
  lanes.place(soon, 30);
  expect(lanes.nextDueMs()).toBe(20);
  lanes.remove(late);
  lanes.remove(late);
  expect([lanes.size, lanes.nextDueMs()]).toEqual([1, 30]);
});
