/** Tests bounded work: after a failure no further piece of work starts, and the failure is thrown when the running ones end. */
import { expect, test } from "vitest";
import { atMost } from "../../../shared/engine/bulkheads/at-most.ts";

/** Each piece of work ends when `open` is called with its number. */
function gates(): { readonly run: (at: number) => Promise<number>; readonly open: (at: number) => void } {
  const waiting = new Map<number, () => void>();
  return {
    run: (at) => new Promise((resolve) => waiting.set(at, () => resolve(at))),
    open: (at) => waiting.get(at)!(),
  };
}

test.each([
  ["as many slots as pieces of work", 3],
  ["fewer slots than pieces of work", 2],
])(
  "with %s, the failure of one piece of work is thrown after all other running pieces have ended",
  async (_what, count) => {
    const { run, open } = gates();
    const ended: number[] = [];
    const works = [0, 1, 2];
    const all = atMost(count, works, async (at) => {
      if (at === 0) throw new Error("the first work failed");
      ended.push(await run(at));
    });
    let isOver = false;
    const outcome = all.catch((error: unknown) => error).finally(() => (isOver = true));
    await new Promise(setImmediate);
    expect(isOver).toBe(false);
    for (const at of works.slice(1, count)) open(at);
    expect(await outcome).toEqual(new Error("the first work failed"));
    expect(ended).toEqual(works.slice(1, count));
  },
);

test("outcomes are in the order of the pieces of work, whichever piece ends first", async () => {
  const { run, open } = gates();
  const all = atMost(3, [0, 1, 2], run);
  for (const at of [2, 0, 1]) open(at);
  expect(await all).toEqual([0, 1, 2]);
});
