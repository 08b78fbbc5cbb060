/** Joint asks: those who ask under one name are answered together, one group at a time. */
import { expect, test } from "vitest";
import { JointAsks } from "../../../shared/engine/local/joint-asks.ts";
import { Gate } from "../../harness/engine/gate.ts";

test("those who ask while others are answered are answered together, each with the answer to what it asked", async () => {
  const joint = new JointAsks<number, string>();
  const gate = new Gate();
  const groups: (readonly number[])[] = [];
  const answerAll = async (asks: readonly number[]): Promise<readonly string[]> => {
    groups.push(asks);
    await gate.passed;
    return asks.map((ask) => `answer to ${ask}`);
  };
  const first = [1, 2].map((ask) => joint.ask("a", ask, answerAll));
  await Promise.resolve();
  const later = [3, 4, 5].map((ask) => joint.ask("a", ask, answerAll));
  gate.open();
  expect(await Promise.all([...first, ...later])).toEqual([1, 2, 3, 4, 5].map((ask) => `answer to ${ask}`));
  expect(groups).toEqual([
    [1, 2],
    [3, 4, 5],
  ]);
});

test("an error reaches those who asked together, and the next are answered", async () => {
  const joint = new JointAsks<number, number>();
  const failing = joint.ask("a", 1, () => Promise.reject(new Error("broken")));
  await expect(failing).rejects.toThrow("broken");
  expect(await joint.ask("a", 2, async (asks) => asks)).toBe(2);
});
