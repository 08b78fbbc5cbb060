/** Tests answers that leave the evaluator while their statement runs. */
import { setTimeout as sleep } from "node:timers/promises";
import { tableFromIPC } from "@uwdata/flechette";
import { afterEach, expect, test } from "vitest";
import { statementProgram } from "../../../infra/build/built-in-texts.mjs";
import { StatementProcesses } from "../../../shared/adapters/statements/process-sql.ts";
import { tableShape } from "../../../shared/core/query/table-shape.ts";
import { SqlError, type SqlRow, type SqlTable } from "../../../shared/engine/ports/sql.ts";
import { isRunning, until } from "../../running-processes.ts";

const { STATEMENT_PROGRAM } = await statementProgram();
let processes: StatementProcesses;
afterEach(() => processes.close());

function opened(timeLimitMs = 3_600_000): StatementProcesses {
  return (processes = new StatementProcesses({
    program: JSON.parse(STATEMENT_PROGRAM) as string,
    nowMs: () => 0,
    memoryMaxBytes: 64 * 1024 * 1024,
    timeLimitMs,
  }));
}

/** The numbers from 0; `before` runs before each row. */
class Numbers implements SqlTable {
  readonly shape = tableShape("numbers", "n i");
  readonly ordered = false;
  taken = 0;
  readonly #count: number;
  readonly #before: (n: number) => Promise<void> | void;

  constructor(count: number, before: (n: number) => Promise<void> | void = () => undefined) {
    this.#count = count;
    this.#before = before;
  }

  async *scan(): AsyncGenerator<SqlRow> {
    for (let n = 0; n < this.#count; n++) {
      const waited = this.#before(n);
      if (waited !== undefined) await waited;
      this.taken += 1;
      yield { cell: () => n };
    }
  }
}

const ALL = "select n from numbers where n >= 0";
const SOME = 3_000;

function jsonOf(pieces: readonly Uint8Array[]): number[] {
  const { rows } = JSON.parse(Buffer.concat(pieces).toString()) as { rows: { n: number }[] };
  return rows.map(({ n }) => n);
}

function arrowOf(pieces: readonly Uint8Array[]): number[] {
  return tableFromIPC(Uint8Array.from(Buffer.concat(pieces)))
    .toArray()
    .map(({ n }) => Number(n));
}

test.each([
  ["json", jsonOf],
  ["arrow", arrowOf],
] as const)("the first rows of an answer as %s arrive before the last ones are evaluated", async (form, numbersIn) => {
  let open!: () => void;
  const barrier = new Promise<void>((resolve) => (open = resolve));
  const table = new Numbers(SOME, (n) => (n === 2_000 ? barrier : undefined));
  const { body, rest } = await opened().as(form).run(ALL, [table]);
  expect(body.length).toBeGreaterThan(0);
  expect(table.taken).toBeLessThanOrEqual(2_000);
  open();
  const pieces = [body];
  for await (const piece of rest!) pieces.push(piece);
  expect(numbersIn(pieces)).toEqual(Array.from({ length: SOME }, (_, n) => n));
});

test("a column whose type follows only from its values has that type in Arrow", async () => {
  const statement = "select case when n < 3 then n else null end as n from numbers";
  const { body, rest } = await opened()
    .as("arrow")
    .run(statement, [new Numbers(2_000)]);
  const pieces = [body];
  for await (const piece of rest ?? []) pieces.push(piece);
  const table = tableFromIPC(Uint8Array.from(Buffer.concat(pieces)));
  expect([table.numRows, table.getChildAt(0).at(2)]).toEqual([2_000, 2]);
});

test("the evaluator pauses while its reader pauses, and evaluates a million rows within a memory limit of 64 MiB", async () => {
  const table = new Numbers(1_000_000);
  const { body, rest } = await opened().as("json").run(ALL, [table]);
  let taken = -1;
  while (taken !== table.taken) {
    taken = table.taken;
    await sleep(300);
  }
  expect(taken).toBeLessThan(120_000);
  let [rows, pieces] = [count(body), 0];
  for await (const piece of rest!) {
    rows += count(piece);
    if (++pieces % 10 === 0) await sleep(20);
  }
  expect(rows).toBe(1_000_000);
});

function count(piece: Uint8Array): number {
  return Buffer.from(piece).toString("latin1").split("}").length - 1 - (piece.at(-2) === "]".charCodeAt(0) ? 1 : 0);
}

test("the time limit counts while the reader waits for rows, and not while the evaluator waits for the reader", async () => {
  const run = (evaluation: StatementProcesses) => evaluation.as("json").run(ALL, [new Numbers(60_000)]);
  const beganMs = performance.now();
  await readOn((await run(opened())).rest!);
  // Many times what the evaluation takes on this machine.
  const timeLimitMs = Math.max(10_000, 10 * Math.ceil(performance.now() - beganMs));
  const { rest } = await run(opened(timeLimitMs));
  const stuck = new Numbers(SOME, (n) => (n === 2_000 ? new Promise(() => {}) : undefined));
  const cut = await processes.as("json").run(ALL, [stuck]);
  const waiting = expect(readOn(cut.rest!)).rejects.toThrow(/not answered in [\d.]+ s.*time-limit/);
  await sleep(timeLimitMs + 500);
  let read = 0;
  for await (const piece of rest!) read += piece.length;
  expect(read).toBeGreaterThan(0);
  await waiting;
});

async function readOn(rest: AsyncIterable<Uint8Array>): Promise<void> {
  for await (const _ of rest);
}

test.each([
  ["stops reading", (rest: AsyncIterable<Uint8Array>) => rest[Symbol.asyncIterator]().return!()],
  ["leaves", undefined],
])(
  "when a client %s, the evaluator ends, no more rows are read, and the next statement gets the freed place",
  async (_how, stop) => {
    opened();
    const leaving = new AbortController();
    const table = new Numbers(1_000_000);
    const { rest } = await processes.as("json").run(ALL, [table], { signal: leaving.signal });
    const [pid] = processes.pids;
    if (stop === undefined) leaving.abort();
    else await stop(rest!);
    await until(() => !isRunning(pid!));
    const { taken } = table;
    await sleep(200);
    expect(table.taken).toBe(taken);
    if (stop === undefined) await expect(readOn(rest!)).rejects.toMatchObject({ kind: "gone" });
    for (let i = 0; i < 3; i++) await processes.as("json").run("select n from numbers", [new Numbers(1)]);
  },
);

test("an error after the first piece ends the pieces with that error", async () => {
  const broken = new Error("the disk is gone");
  const failing = (error: Error): SqlTable =>
    new Numbers(SOME, async (n) => {
      if (n < 2_000) return;
      await sleep(300);
      throw error;
    });
  const table = await opened()
    .as("json")
    .run(ALL, [failing(broken)]);
  await expect(readOn(table.rest!)).rejects.toBe(broken);
  const refused = await processes.as("json").run(ALL, [failing(new SqlError("refused", "read less"))]);
  await expect(readOn(refused.rest!)).rejects.toMatchObject({ kind: "refused", message: "read less" });
});
