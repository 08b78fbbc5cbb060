/** Tests statements that a separate process evaluates. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { join } from "node:path";
import { build } from "esbuild";
import { afterAll, expect, test } from "vitest";
import { statementProgram } from "../../../infra/build/built-in-texts.mjs";
import { StatementProcesses } from "../../../shared/adapters/statements/process-sql.ts";
import { SqlError, type SqlTable, type WrittenAnswer } from "../../../shared/engine/ports/sql.ts";
import { isRunning, until } from "../../running-processes.ts";
import { MemorySqlTable } from "../sql/memory-sql-table.ts";
import { CostlyTable } from "./costly-table.ts";

const define = await statementProgram();
const options = {
  program: JSON.parse(define.STATEMENT_PROGRAM) as string,
  nowMs: () => 0,
  memoryMaxBytes: 64 * 1024 * 1024,
  timeLimitMs: 10_000,
};
const processes = new StatementProcesses(options);
afterAll(() => processes.close());

async function rowsOf(statement: string, ...tables: SqlTable[]): Promise<unknown[]> {
  return rowsIn(await readAll(await processes.as("json").run(statement, tables)));
}

async function readAll({ body, rest }: WrittenAnswer): Promise<Uint8Array> {
  const pieces = [body];
  for await (const piece of rest ?? []) pieces.push(piece);
  return Buffer.concat(pieces);
}

function rowsIn(bytes: Uint8Array): unknown[] {
  return (JSON.parse(Buffer.from(bytes).toString()) as { rows: unknown[] }).rows;
}

test("an answer of many batches has its rows in order, with the values of every type and without nulls", async () => {
  const rows = Array.from({ length: 3_000 }, (_, n) => ({
    n,
    big: 2n ** 64n - 1n,
    at: 1_700_000_000_000,
    raw: Uint8Array.of(1, 171),
    names: ["a", "b"],
    none: null,
  }));
  const table = new MemorySqlTable("things", "n i, big i, at t, raw bin, names [s], none", rows);
  const answered = await rowsOf("select * from things where big > 1", table);
  const more = { at: "2023-11-14T22:13:20Z", raw: "01ab", names: ["a", "b"], big: 18446744073709552000 };
  expect(answered).toEqual(rows.map(({ n }) => ({ n, ...more })));
});

test("an expensive cell is read only if the statement needs it", async () => {
  const later = new CostlyTable(1_000, async (id) => `large ${id}`);
  expect(await rowsOf("select large from sys_journal where id in (3, 700) order by id desc", later)).toEqual([
    { large: "large 700" },
    { large: "large 3" },
  ]);
  expect(later.asked.toSorted((a, b) => a - b)).toEqual([3, 700]);
  const counted = new CostlyTable(1_000);
  expect(await rowsOf("select count(*) as n from sys_journal", counted)).toEqual([{ n: 1_000 }]);
  expect(counted.asked).toEqual([]);
});

test("a limit ends the scan early", async () => {
  const table = new CostlyTable(100_000);
  expect(await rowsOf("select id from sys_journal limit 2", table)).toEqual([{ id: 0 }, { id: 1 }]);
  expect(table.taken).toBeLessThan(20);
});

test("an error from a row or a cell reaches the caller unchanged, and a refusal keeps its kind and message", async () => {
  const broken = new Error("the disk is gone");
  const cell = new CostlyTable(10, (id) => {
    if (id === 7) throw broken;
    return "fine";
  });
  await expect(rowsOf("select large from sys_journal", cell)).rejects.toBe(broken);
  const row: SqlTable = {
    shape: cell.shape,
    ordered: false,
    async *scan() {
      yield { cell: () => 1 };
      throw broken;
    },
  };
  await expect(rowsOf("select id from sys_journal", row)).rejects.toBe(broken);
  const refused = new CostlyTable(10, () => Promise.reject(new SqlError("refused", "read less")));
  await expect(rowsOf("select large from sys_journal", refused)).rejects.toMatchObject({
    kind: "refused",
    message: "read less",
  });
  await expect(rowsOf("select nothing from sys_journal", cell)).rejects.toMatchObject({ kind: "unknown" });
});

test("if answers are sent whole, an answer within the byte limit is one piece, and a larger answer is refused", async () => {
  const whole = new StatementProcesses({ ...options, wholeMaxBytes: 1024 * 1024 });
  try {
    const run = (count: number) => whole.as("json").run("select id from sys_journal", [new CostlyTable(count)]);
    const answer = await run(50_000);
    expect(answer.rest).toBeUndefined();
    expect(rowsIn(answer.body)).toHaveLength(50_000);
    await expect(run(90_000)).rejects.toThrow(/more than 1048576 bytes.*LIMIT/);
    const arrow = whole.as("arrow").run("select id from sys_journal", [new CostlyTable(200_000)]);
    await expect(arrow).rejects.toMatchObject({ kind: "refused" });
  } finally {
    whole.close();
  }
});

test("one process answers one statement after the other, and a statement whose deadline has passed is refused", async () => {
  await rowsOf("select id from sys_journal", new CostlyTable(1));
  const before = processes.pids;
  await rowsOf("select id from sys_journal", new CostlyTable(1));
  await expect(rowsOf("select id from nothing", new CostlyTable(1))).rejects.toThrow("nothing");
  expect(processes.pids).toEqual(before);
  expect(before.length).toBe(1);
  const late = processes.as("json").run("select id from sys_journal", [new CostlyTable(1)], { untilMs: -1 });
  await expect(late).rejects.toThrow("narrow it");
});

test("the evaluator process ends when its parent is killed, also during a computation", async () => {
  const { outputFiles } = await build({
    entryPoints: [join(import.meta.dirname, "asking-process.ts")],
    bundle: true,
    platform: "node",
    format: "esm",
    define,
    write: false,
    logLevel: "error",
  });
  const parent = spawn(process.execPath, ["--input-type=module", "-"], { stdio: ["pipe", "pipe", "inherit"] });
  parent.stdin.end(outputFiles[0]!.text);
  const [line] = (await once(createInterface({ input: parent.stdout }), "line")) as [string];
  const pid = Number(line);
  expect(isRunning(pid)).toBe(true);
  // The evaluator now computes its one row, and reads no messages.
  await new Promise((resolve) => setTimeout(resolve, 500));
  parent.kill("SIGKILL");
  await until(() => !isRunning(pid));
});
