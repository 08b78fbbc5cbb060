/** Tests that a history is shrunk to the operations and the steps that show a disagreement. */
import { expect, test } from "vitest";
import { drawn, play } from "./play.ts";
import { shrink } from "./shrink.ts";
import type { Operation } from "./model/words.ts";

const GREET = { service: "Greeter", handler: "greet" };

function sleeps(name: string, ms: number): Operation {
  return {
    do: "send",
    name,
    target: GREET,
    program: { steps: [{ do: "awakeable" }, { do: "sleep", ms }], catches: true },
    key: "k1",
  };
}

test("leaves only the operation and the step without which the history no longer shows it", async () => {
  const operations: readonly Operation[] = [
    { do: "wait", ms: 3_600_000 },
    sleeps("p2", 60_000),
    { do: "cancel", of: "p2" },
    sleeps("p4", 600_000),
    { do: "wait", ms: 86_400_000 },
  ];
  const smallest = await shrink(operations, async (smaller) =>
    smaller.some(
      (one) => one.do === "send" && one.program.steps.some((step) => step.do === "sleep" && step.ms >= 500_000),
    ),
  );
  expect(smallest).toEqual([
    { do: "send", name: "p4", target: GREET, program: { steps: [{ do: "sleep", ms: 600_000 }], catches: false } },
  ]);
});

test("a history that is played again is the same", async () => {
  const [one, other] = [await play({ next: drawn(7, 20) }), await play({ next: drawn(7, 20) })];
  expect(one).toEqual(other);
});
