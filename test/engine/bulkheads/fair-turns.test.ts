/** Tests fair turns: lanes alternate, and only a bounded number of pieces of work run at a time. */
import { expect, test } from "vitest";
import { FairTurns } from "../../../shared/engine/bulkheads/fair-turns.ts";

test("the single piece of work of one lane runs third at the latest, although another lane has a thousand waiting", async () => {
  const turns = new FairTurns(1);
  const order: string[] = [];
  const work = (name: string) => async () => void order.push(name);
  const hog = Array.from({ length: 1_000 }, (_, at) => turns.take("hog", work(`hog ${at}`)));
  const good = turns.take("good", work("good"));
  await Promise.all([...hog, good]);
  expect(order.indexOf("good")).toBeLessThanOrEqual(2);
  expect(order.filter((name) => name !== "good")).toEqual(hog.map((_, at) => `hog ${at}`));
});

test("at most as many pieces of work run at a time as there are turns, and a failed piece of work gives its turn back", async () => {
  const turns = new FairTurns(3);
  let running = 0;
  let most = 0;
  const outcomes = await Promise.allSettled(
    Array.from({ length: 50 }, (_, at) =>
      turns.take(`lane ${at % 7}`, async () => {
        most = Math.max(most, ++running);
        await Promise.resolve();
        running--;
        if (at % 5 === 0) throw new Error("failed");
      }),
    ),
  );
  expect(outcomes.filter(({ status }) => status === "rejected")).toHaveLength(10);
  expect(most).toBe(3);
  expect(turns.waiting).toBe(0);
});
