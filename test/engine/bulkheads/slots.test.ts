/** The slots of a bulkhead: how many one lane may take. */
import { expect, test } from "vitest";
import { Slots } from "../../../shared/engine/bulkheads/slots.ts";

const takeAll = (slots: Slots, lane: string): number => {
  let taken = 0;
  while (slots.take(lane)) taken++;
  return taken;
};

test("each greedy lane takes half of the slots that are still free: a half, then a quarter, then an eighth", () => {
  const slots = new Slots({ count: 1_000, perLane: "share" });
  expect([takeAll(slots, "a"), takeAll(slots, "b"), takeAll(slots, "c")]).toEqual([500, 250, 125]);
  expect(slots.free).toBe(125);
});

test("if there is only one slot, the first lane gets it", () => {
  const slots = new Slots({ count: 1, perLane: "share" });
  expect([slots.take("a"), slots.take("b")]).toEqual([true, false]);
  slots.give("a");
  expect(slots.take("b")).toBe(true);
});

test("the number of a lane's last move changes when the lane takes or gives back a slot, but not when it is refused one", () => {
  const slots = new Slots({ count: 2, perLane: 1 });
  const seen = [slots.lastMoveOf("a")];
  const note = () => seen.push(slots.lastMoveOf("a"));
  slots.take("a");
  note();
  slots.give("a");
  note();
  slots.take("a");
  note();
  expect(new Set(seen.slice(1)).size).toBe(3);
  const before = slots.lastMoveOf("a");
  expect([slots.take("a"), slots.take("b")]).toEqual([false, true]);
  expect(slots.lastMoveOf("a")).toBe(before);
});

test("a fixed number per lane applies whether or not other lanes wait", () => {
  const slots = new Slots({ count: 100, perLane: 7 });
  expect([takeAll(slots, "a"), takeAll(slots, "b")]).toEqual([7, 7]);
  slots.give("a");
  expect(takeAll(slots, "a")).toBe(1);
});
