/** Tests the checker of histories: it accepts what one moment per operation explains, and refuses each planted violation. */
import { describe, expect, test } from "vitest";
import { Random } from "../simulation/random.ts";
import { type Operation, Recorder } from "./history.ts";
import { judge } from "./linearizability.ts";
import { judgeAll, type Kind, THINGS } from "./things.ts";

type Line = readonly [askedAt: number, answeredAt: number, verb: string, given: unknown, answer?: unknown];

function history(kind: Kind, lines: readonly Line[]): readonly Operation[] {
  return lines.map(([askedAt, answeredAt, verb, given, answer], client) => ({
    client,
    thing: `${kind}/a`,
    verb,
    given,
    askedAt,
    answeredAt,
    answer,
  }));
}

function verdictOf(kind: Kind, lines: readonly Line[]): string {
  return judgeAll(history(kind, lines))[0]!.verdict.kind;
}

describe("a history is linearizable", () => {
  test.each<[string, Kind, readonly Line[]]>([
    [
      "adds one after the other",
      "counter",
      [
        [1, 2, "add", 1, 1],
        [3, 4, "add", 2, 3],
        [5, 6, "read", null, 3],
      ],
    ],
    [
      "a read beside an add sees either sum",
      "counter",
      [
        [1, 4, "add", 1, 1],
        [2, 3, "read", null, 0],
      ],
    ],
    [
      "an add without an answer had no effect",
      "counter",
      [
        [1, Infinity, "add", 1],
        [2, 3, "read", null, 0],
      ],
    ],
    [
      "an add without an answer had its effect late",
      "counter",
      [
        [1, Infinity, "add", 1],
        [2, 3, "read", null, 0],
        [4, 5, "read", null, 1],
      ],
    ],
    [
      "two adds at once end in either order",
      "counter",
      [
        [1, 3, "add", 1, 3],
        [2, 4, "add", 2, 2],
      ],
    ],
    [
      "a swap that lost",
      "register",
      [
        [1, 2, "write", 5, null],
        [3, 4, "swap", { expected: 4, to: 6 }, false],
        [5, 6, "read", null, 5],
      ],
    ],
    [
      "the first of two resolves wins",
      "promise",
      [
        [1, 4, "resolve", 7, false],
        [2, 3, "resolve", 8, true],
        [5, 6, "result", null, 8],
      ],
    ],
    [
      "starts under one key share a result",
      "start",
      [
        [1, 4, "start", 7, 8],
        [2, 3, "start", 8, 8],
      ],
    ],
  ])("%s", (_, kind, lines) => {
    expect(verdictOf(kind, lines)).toBe("linearizable");
  });
});

describe("a history with a planted violation is refused", () => {
  test.each<[string, Kind, readonly Line[]]>([
    [
      "a lost update",
      "counter",
      [
        [1, 3, "add", 1, 1],
        [2, 4, "add", 1, 1],
      ],
    ],
    [
      "an add that counts twice",
      "counter",
      [
        [1, 2, "add", 1, 1],
        [3, 4, "read", null, 2],
      ],
    ],
    [
      "an add without an answer that counts twice",
      "counter",
      [
        [1, Infinity, "add", 1],
        [2, 3, "read", null, 2],
      ],
    ],
    [
      "a stale read",
      "register",
      [
        [1, 2, "write", 1, null],
        [3, 4, "write", 2, null],
        [5, 6, "read", null, 1],
      ],
    ],
    [
      "a read that goes back",
      "register",
      [
        [1, 8, "write", 1, null],
        [2, 3, "read", null, 1],
        [4, 5, "read", null, null],
      ],
    ],
    [
      "a value that nobody wrote",
      "register",
      [
        [1, 2, "write", 1, null],
        [3, 4, "read", null, 9],
      ],
    ],
    [
      "two swaps from one value that both won",
      "register",
      [
        [1, 2, "write", 1, null],
        [3, 6, "swap", { expected: 1, to: 2 }, true],
        [4, 5, "swap", { expected: 1, to: 3 }, true],
      ],
    ],
    [
      "a lost element",
      "list",
      [
        [1, 2, "append", 1, 1],
        [3, 4, "append", 2, 2],
        [5, 6, "read", null, [2]],
      ],
    ],
    [
      "elements whose order changes",
      "list",
      [
        [1, 9, "append", 1, 1],
        [2, 8, "append", 2, 2],
        [3, 4, "read", null, [2, 1]],
        [5, 6, "read", null, [1, 2]],
      ],
    ],
    [
      "two resolves that both won",
      "promise",
      [
        [1, 3, "resolve", 7, true],
        [2, 4, "resolve", 8, true],
      ],
    ],
    [
      "a promise that changes",
      "promise",
      [
        [1, 2, "resolve", 7, true],
        [3, 4, "peek", null, 8],
      ],
    ],
    [
      "a result before any resolve",
      "promise",
      [
        [1, 2, "result", null, 7],
        [3, 4, "resolve", 7, true],
      ],
    ],
    [
      "a second invocation under one key",
      "start",
      [
        [1, 2, "start", 7, 7],
        [3, 4, "start", 8, 8],
      ],
    ],
  ])("%s", (_, kind, lines) => {
    expect(verdictOf(kind, lines)).toBe("violation");
  });

  test("the verdict names the operations of which none can come next", () => {
    const [stale] = judgeAll(
      history("counter", [
        [1, 2, "add", 1, 1],
        [3, 4, "read", null, 0],
      ]),
    );
    expect(stale!.verdict).toMatchObject({ kind: "violation", stuck: [{ verb: "read", answer: 0 }] });
  });
});

/** Clients of one counter in this process: each add takes effect at a drawn moment between its question and its answer. */
async function drawnHistory(seed: number, losesOne: boolean): Promise<readonly Operation[]> {
  const random = new Random(seed);
  const recorder = new Recorder();
  let [sum, adds] = [0, 0];
  const turns = (): Promise<void> =>
    random.between(0, 3) === 0 ? Promise.resolve() : new Promise((resolve) => setImmediate(resolve));
  const client = async (number: number): Promise<void> => {
    for (let n = 0; n < 12; n++) {
      const isRead = random.chance(0.4);
      const given = isRead ? null : random.between(1, 3);
      await recorder.record({ client: number, thing: "counter/a", verb: isRead ? "read" : "add", given }, async () => {
        await turns();
        const after = sum + (given ?? 0);
        if (!(losesOne && !isRead && ++adds === 5)) sum = after;
        await turns();
        return random.chance(0.1) ? undefined : { answer: after };
      });
    }
  };
  await Promise.all([1, 2, 3, 4].map(client));
  return recorder.operations;
}

describe("drawn histories of a counter that this process keeps", () => {
  const seeds = Array.from({ length: 200 }, (_, at) => at + 1);

  test("each is linearizable", async () => {
    const verdicts = await Promise.all(
      seeds.map(async (seed) => judge(await drawnHistory(seed, false), THINGS.counter)),
    );
    expect(new Set(verdicts.map(({ kind }) => kind))).toEqual(new Set(["linearizable"]));
  });

  test("most with one lost add are refused, except those in which no later answer shows the loss", async () => {
    const verdicts = await Promise.all(
      seeds.map(async (seed) => judge(await drawnHistory(seed, true), THINGS.counter)),
    );
    expect(verdicts.filter(({ kind }) => kind === "violation").length).toBeGreaterThan(150);
    expect(verdicts.filter(({ kind }) => kind === "undecided")).toEqual([]);
  });
});
