/** Tests the operations of a timeline: their entries, their time, and their outcome. */
import { describe, expect, test } from "vitest";
import type { EntryBody } from "../../../../shared/api/contract/invocations.ts";
import { piecesOf } from "../../../../ui/model/timeline/bars.ts";
import type { Operation } from "../../../../ui/model/timeline/operation.ts";
import { operationsOf } from "../../../../ui/model/timeline/operations.ts";
import { rowsOf } from "../../../../ui/model/timeline/rows.ts";
import { timeScale } from "../../../../ui/model/timeline/scale.ts";
import { at, entriesOf, factsOf, failureAt, ORIGIN_MS, randomOf } from "./sample-facts.ts";

const attempt = (number: number, entry: number, from: number, to: number) => ({
  attempt: number,
  entry,
  started_at: at(from),
  ended_at: at(to),
});
const relative = ({ startMs, endMs }: Operation): readonly (number | undefined)[] => [
  startMs - ORIGIN_MS,
  endMs === undefined ? undefined : endMs - ORIGIN_MS,
];

describe("an operation", () => {
  test.each<[string, readonly EntryBody[], readonly unknown[]]>([
    [
      "a run lasts from the start of its attempt to its result",
      entriesOf([
        ["Input", 0],
        ["Run", 90, { name: "r" }],
        ["Run", 90, { completes: 1 }],
      ]),
      ["run", "r", 20, 90, "done"],
    ],
    [
      "a call lasts from its storing to its result",
      entriesOf([
        ["Input", 0],
        ["Call", 50, { target: "A/b" }],
        ["Call", 700, { completes: 1, failed: true }],
      ]),
      ["call", "A/b", 50, 700, "failed"],
    ],
    [
      "a sleep without its end goes on",
      entriesOf([
        ["Input", 0],
        ["Sleep", 50, { wake_at: at(9000) }],
      ]),
      ["sleep", "sleep", 50, undefined, "waiting"],
    ],
    [
      "a state change is a moment",
      entriesOf([
        ["Input", 0],
        ["SetState", 50, { key: "k" }],
      ]),
      ["state", "set k", 50, 50, "done"],
    ],
    [
      "a completed awakeable is a moment",
      entriesOf([
        ["Input", 0],
        ["Signal", 60, { signal: "17" }],
      ]),
      ["awakeable", "awakeable 1", 60, 60, "done"],
    ],
    [
      "a cancel is a signal",
      entriesOf([
        ["Input", 0],
        ["Signal", 60, { signal: "1", failed: true }],
      ]),
      ["signal", "cancel", 60, 60, "failed"],
    ],
  ])("%s", (_, entries, expected) => {
    const [, operation] = operationsOf(
      factsOf(entries, { status: "suspended", attempt_spans: [attempt(1, 1, 20, 90)] }),
    );
    const { kind, label, outcome } = operation!;
    expect([kind, label, ...relative(operation!), outcome]).toEqual(expected);
  });

  test("a second run of an attempt begins when the first one was stored", () => {
    const entries = entriesOf([
      ["Input", 0],
      ["Run", 40],
      ["Run", 40, { completes: 1 }],
      ["Run", 90],
      ["Run", 90, { completes: 3 }],
    ]);
    const operations = operationsOf(factsOf(entries, { attempt_spans: [attempt(1, 1, 20, 95)] }));
    expect(operations.slice(1).map(relative)).toEqual([
      [20, 40],
      [40, 90],
    ]);
  });

  test("ends with its invocation if nothing completed it", () => {
    const entries = entriesOf([
      ["Input", 0],
      ["Sleep", 10],
    ]);
    expect(relative(operationsOf(factsOf(entries, { completed_at: at(500) }))[1]!)).toEqual([10, 500]);
  });

  test("has the failed attempts that name its command", () => {
    const entries = entriesOf([
      ["Input", 0],
      ["SetState", 5],
      ["Run", 900, { name: "charge" }],
      ["Run", 900, { completes: 2 }],
    ]);
    const events = [
      failureAt(100, { started_at: at(60), related_command: { index: 2 } }),
      failureAt(400, { started_at: at(380), related_command: { index: 2 } }),
    ];
    const [, , run] = operationsOf(factsOf(entries, { events, attempt_spans: [attempt(3, 2, 880, 900)] }));
    expect(run!.tries.map(({ startMs, endMs }) => [startMs - ORIGIN_MS, endMs - ORIGIN_MS])).toEqual([
      [60, 100],
      [380, 400],
    ]);
    expect([...relative(run!), run!.outcome]).toEqual([60, 900, "done"]);
  });

  test("the failure of a command that is not in the journal yet has a row of its own, which shows the retry", () => {
    const last = failureAt(300, { started_at: at(200), related_command: { index: 1, name: "charge" } });
    const waits = [{ kind: "retry" as const, since: at(300), until: at(5300), attempt: 2 }];
    const facts = factsOf(entriesOf([["Input", 0]]), { status: "backing-off", events: [last], waits_for: waits });
    const [, beyond] = operationsOf(facts);
    expect([beyond!.label, beyond!.entries, beyond!.outcome, beyond!.wakeAtMs]).toEqual([
      "charge",
      [],
      "retrying",
      ORIGIN_MS + 5300,
    ]);
  });

  test("a wait that the journal does not show has a row of its own", () => {
    const waits = [
      { kind: "awakeable" as const, since: at(10), awakeable_id: "sign_1" },
      { kind: "timer" as const, since: at(10) },
    ];
    const operations = operationsOf(factsOf(entriesOf([["Input", 0]]), { status: "suspended", waits_for: waits }));
    expect(operations.map(({ kind }) => kind)).toEqual(["input", "awakeable"]);
  });

  test("a call takes the id of the called invocation from the notification that contains the id", () => {
    const entries = entriesOf([
      ["Input", 0],
      ["Call", 5],
      ["CallInvocationId", 5, { completes: 1, invocation_id: "inv_c" }],
    ]);
    expect(operationsOf(factsOf(entries, { status: "suspended" }))[1]!.childId).toBe("inv_c");
  });
});

const TYPES = ["Run", "Call", "Sleep", "SetState", "OneWayCall", "GetPromise"];

function randomEntries(seed: number): readonly EntryBody[] {
  const random = randomOf(seed);
  const rows: [string, number, object?][] = [["Input", 0]];
  const open: number[] = [];
  let ms = 0;
  for (let left = 5 + Math.floor(random() * 120); left > 0; left--) {
    ms += random() < 0.3 ? Math.floor(random() * 50_000) : 0;
    if (open.length > 0 && random() < 0.4) {
      const [completes] = open.splice(Math.floor(random() * open.length), 1);
      rows.push([rows[completes!]![0], ms, { completes, ...(random() < 0.2 && { failed: true }) }]);
    } else {
      const type = TYPES[Math.floor(random() * TYPES.length)]!;
      if (!/State|OneWay/.test(type)) open.push(rows.length);
      rows.push([type, ms, { name: random() < 0.5 ? "same" : `n${left}` }]);
    }
  }
  return entriesOf(rows);
}

test.each(Array.from({ length: 80 }, (_, seed) => seed))(
  "every entry is in one row, and pieces never overlap (seed %i)",
  (seed) => {
    const entries = randomEntries(seed);
    const events = [
      failureAt(200, { related_command: { index: 1 } }),
      failureAt(90_000, { related_command: { index: 1 } }),
    ];
    const operations = operationsOf(factsOf(entries, { status: "suspended", events }));
    const all = operations.flatMap((operation) => operation.entries).sort((a, b) => a - b);
    expect(all).toEqual(entries.map(({ index }) => index));
    for (const find of ["", "same"]) {
      const rows = rowsOf("inv_1", operations, { expanded: new Set(), children: new Map(), find });
      expect(new Set(rows.map(({ key }) => key)).size).toBe(rows.length);
      const shown = rows.flatMap((row) =>
        row.kind === "group" ? row.operations : row.kind === "operation" ? [row.operation] : [],
      );
      if (find === "") expect(shown.map(({ key }) => key)).toEqual(operations.map(({ key }) => key));
    }
    const nowMs = ORIGIN_MS + 10_000_000;
    const scale = timeScale({ startMs: ORIGIN_MS, endMs: nowMs }, 600, []);
    for (const operation of operations) {
      let endPx = 0;
      for (const { fromPx, widthPx } of piecesOf(operation, scale, nowMs)) {
        expect(fromPx).toBeGreaterThanOrEqual(endPx);
        expect(widthPx).toBeGreaterThanOrEqual(2);
        endPx = fromPx + widthPx;
      }
    }
  },
);

test("the pieces of a run that failed twice are attempts, back-offs and the result", () => {
  const entries = entriesOf([
    ["Input", 0],
    ["Run", 1000],
    ["Run", 1000, { completes: 1 }],
  ]);
  const events = [100, 500].map((ms) => failureAt(ms, { started_at: at(ms - 50), related_command: { index: 1 } }));
  const [, run] = operationsOf(factsOf(entries, { events, attempt_spans: [attempt(3, 1, 900, 1000)] }));
  const scale = timeScale({ startMs: ORIGIN_MS, endMs: ORIGIN_MS + 1000 }, 1000, undefined);
  const pieces = piecesOf(run!, scale, ORIGIN_MS + 1000);
  expect(pieces.map(({ shape, fromPx, widthPx }) => [shape, fromPx, widthPx])).toEqual([
    ["failed", 50, 50],
    ["back-off", 100, 350],
    ["failed", 450, 50],
    ["back-off", 500, 400],
    ["bound", 900, 100],
  ]);
});

describe("rows", () => {
  const runs = (count: number) =>
    operationsOf(
      factsOf(
        entriesOf([["Input", 0], ...Array.from({ length: count }, () => ["Run", 5, { name: "charge" }] as const)]),
      ),
    );
  const none = { expanded: new Set<string>(), children: new Map(), find: "" };
  const kindsOf = (rows: readonly { readonly kind: string }[]) => rows.map(({ kind }) => kind);

  test.each([
    [5, ["operation", "operation", "operation", "operation", "operation", "operation"]],
    [6, ["operation", "group"]],
  ])("up to five equal siblings are separate rows, and more make a group (%i siblings)", (count, kinds) => {
    expect(kindsOf(rowsOf("inv_1", runs(count), none))).toEqual(kinds);
  });

  test("a search shows the operations that it found one by one", () => {
    expect(rowsOf("inv_1", runs(8), { ...none, find: "CHARGE" })).toHaveLength(8);
  });

  test("a call that leads back to its caller is marked, and not expanded again", () => {
    const entries = entriesOf([
      ["Input", 0],
      ["Call", 5, { target: "A/b", invocation_id: "inv_2" }],
    ]);
    const back = entriesOf([
      ["Input", 0],
      ["Call", 5, { target: "A/b", invocation_id: "inv_1" }],
    ]);
    const [own, other] = [operationsOf(factsOf(entries)), operationsOf(factsOf(back))];
    const children = new Map([["inv_2", { kind: "loaded", operations: other, isCut: false } as const]]);
    const rows = rowsOf("inv_1", own, { expanded: new Set(["1", "1/1"]), children, find: "" });
    expect(rows.at(-1)).toMatchObject({ kind: "note", text: expect.stringContaining("circle") });
  });

  test("a call that is expanded has the times of the called invocation", () => {
    const entries = entriesOf([
      ["Input", 0],
      ["Call", 5, { target: "A/b", invocation_id: "inv_2" }],
      ["Call", 5_160, { completes: 1, at_or_before: true }],
    ]);
    const [, call] = operationsOf(factsOf(entries));
    expect(relative(call!)).toEqual([5, 5_160]);
    expect(call!.within).toBeDefined();
    const span = { startMs: ORIGIN_MS + 7, endMs: ORIGIN_MS + 3_500 };
    const children = new Map([["inv_2", { kind: "loaded", operations: [], isCut: false, span } as const]]);
    const [, row] = rowsOf("inv_1", operationsOf(factsOf(entries)), { expanded: new Set(["1"]), children, find: "" });
    const operation = row?.kind === "operation" ? row.operation : undefined;
    expect(relative(operation!)).toEqual([7, 3_500]);
    expect(operation!.within).toBeUndefined();
  });

  test("a call whose invocation is not loaded yet shows that it is loading", () => {
    const entries = entriesOf([
      ["Input", 0],
      ["Call", 5, { target: "A/b", invocation_id: "inv_2" }],
    ]);
    const rows = rowsOf("inv_1", operationsOf(factsOf(entries)), { ...none, expanded: new Set(["1"]) });
    expect(rows.at(-1)).toMatchObject({ kind: "note", isLoading: true, depth: 1 });
  });
});
