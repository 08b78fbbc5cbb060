/** The handler shapes for which a single request is a complete test, each with its input, output and number of attempts. */
import type { ProtocolVersion } from "./offered-version.ts";

/** An exact number, or a minimum and a maximum if the number depends on when a result arrives. */
export type Count = number | readonly [least: number, most: number];

export interface ShapeRow {
  readonly number: number;
  readonly handler: string;
  /** Sent as JSON, except that bytes are sent unchanged. Absent means no body. */
  readonly input?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** 200 if absent. */
  readonly status?: number;
  /** The output byte for byte: JSON as the SDK writes it, or bytes; absent means an empty output. */
  readonly result?: unknown;
  readonly attempts: Count | Readonly<Record<`v${ProtocolVersion}`, Count>>;
  /** The number of executed closures of `ctx.run`. */
  readonly executions?: number;
}

const BYTES = new Uint8Array([0, 255, 10, 128, 34, 123]);

type Unnumbered = Omit<ShapeRow, "number">;

const VALUES: readonly Unnumbered[] = [
  ...[{ a: { b: [1, null] } }, "a string", 3.5, null, [1, "two", null], [], "", false, "\u0000\u{1f600}"].map(
    (value) => ({ handler: "Values/json", input: value, result: value, attempts: 1 }),
  ),
  { handler: "Values/json", attempts: 1 },
  { handler: "Values/nothing", attempts: 1 },
  { handler: "Values/bytes", input: BYTES, result: BYTES, attempts: 1 },
  { handler: "Values/bytes", input: new Uint8Array(0), attempts: 1 },
  { handler: "Values/throughRun", input: BYTES, result: BYTES, attempts: 2 },
  { handler: "Values/header", input: "x-any", headers: { "x-any": "value" }, result: "value", attempts: 1 },
];

const RUNS: readonly Unnumbered[] = [
  ...[1, 2, 3, 5].map((count) => ({
    handler: "Runs/sequential",
    input: count,
    result: (count * (count - 1)) / 2,
    attempts: count + 1,
    executions: count,
  })),
  { handler: "Runs/parallel", input: 2, result: [0, 1], attempts: 2, executions: 2 },
  { handler: "Runs/parallel", input: 5, result: [0, 1, 2, 3, 4], attempts: 2, executions: 5 },
  { handler: "Runs/race", result: "done", attempts: 2, executions: 2 },
  { handler: "Runs/thenSleep", input: 20, result: "run, slept", attempts: 3, executions: 1 },
  { handler: "Runs/thenCall", input: 4, result: 8, attempts: 3, executions: 1 },
  { handler: "Runs/neverAwaited", result: "left", attempts: 1, executions: 0 },
  { handler: "Runs/failing", input: 3, result: "given up after 3: execution 3 failed", attempts: 4, executions: 3 },
  { handler: "Runs/failing", input: 1, result: "given up after 1: execution 1 failed", attempts: 2, executions: 1 },
  { handler: "Runs/terminal", result: 444, attempts: 2 },
];

const CALLS: readonly Unnumbered[] = [
  { handler: "Calls/one", input: 21, result: 42, attempts: 2 },
  { handler: "Calls/idFirst", input: 21, result: 42, attempts: [2, 3] },
  ...[1, 2, 4].map((count) => ({
    handler: "Calls/sequential",
    input: count,
    result: 2 ** count,
    attempts: count + 1,
  })),
  ...[2, 4].map((count) => ({
    handler: "Calls/parallel",
    input: count,
    result: Array.from({ length: count }, (_, index) => index * 2),
    attempts: { v5: [2, count + 1], v6: [2, count + 1], v7: 2 } as const,
  })),
  { handler: "Calls/sends", input: [0], result: 1, attempts: 1 },
  { handler: "Calls/sends", input: [0, 50, 3_600_000, 0], result: 4, attempts: 1 },
];

const WAITS: readonly Unnumbered[] = [
  { handler: "Waits/noDurableOperation", result: "done", attempts: 1 },
  { handler: "Waits/sleep", input: 20, result: "slept", attempts: 2 },
  { handler: "Waits/timeout", input: 20, result: "timed out", attempts: 2 },
  { handler: "Waits/untilItWorks", input: 2, result: "works", attempts: 3 },
];

export const SHAPE_ROWS: readonly ShapeRow[] = [...VALUES, ...RUNS, ...CALLS, ...WAITS].map((row, index) => ({
  number: index + 1,
  ...row,
}));
