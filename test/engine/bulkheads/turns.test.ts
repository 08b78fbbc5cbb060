/** Tests turns, which bound the number of pieces of work that run at a time, and keep their order. */
import { expect, test } from "vitest";
import { Turns } from "../../../shared/engine/bulkheads/at-most.ts";

test("a fixed number of pieces run at a time, in their order, even if one of them fails", async () => {
  const turns = new Turns(3);
  const begun: number[] = [];
  let running = 0;
  let most = 0;
  const work = async (at: number): Promise<number> => {
    begun.push(at);
    most = Math.max(most, ++running);
    await new Promise((resolve) => setImmediate(resolve));
    running--;
    if (at === 4) throw new Error("the fourth fails");
    return at;
  };
  const all = Array.from({ length: 20 }, (_, at) => turns.take(() => work(at)));
  const outcomes = await Promise.allSettled(all);
  expect(begun).toEqual(Array.from({ length: 20 }, (_, at) => at));
  expect(most).toBe(3);
  expect(outcomes.filter(({ status }) => status === "rejected")).toHaveLength(1);
});
