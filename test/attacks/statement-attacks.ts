/** Short statements that cost the process much time or memory. */
import { setTimeout as pause } from "node:timers/promises";
import { send, sendMany, statement, type Answered } from "./asking.ts";
import type { Attack, Deed, Scene } from "./attack.ts";
import { always, output } from "./messages.ts";

/** The time after which the client gives up, as a person would. */
const PATIENCE_MS = 3_000;
const AFTERWARDS_MS = 1_500;
const LEVELS = 25;
const ROWS = 5_000;
const LARGE_BYTES = 20 * 1024 * 1024;
const LARGE_ENTRIES = 10;

const quick = always(() => output("done"));

export const STATEMENTS = {
  "nested REPLACE": `SELECT ${growing(12)} AS grown FROM sys_service`,
  "doubling sums": `SELECT x FROM ${doubled(LEVELS)}`,
  "LIKE with many parts": `SELECT name FROM sys_service WHERE '${"a".repeat(100_000)}' LIKE '${"%a".repeat(100)}${"%aaa".repeat(100)}%b'`,
};

export const STATEMENT_ATTACKS: readonly Attack[] = [
  {
    name: "B1a",
    title: "REPLACE in REPLACE stays within the memory of the process",
    answers: { quick },
    strike: (scene) => asked(scene, [STATEMENTS["nested REPLACE"]]),
  },
  {
    name: "B1b",
    title: "a sum of a sum of sums does not double its time with each level",
    answers: { quick },
    strike: (scene) => asked(scene, [STATEMENTS["doubling sums"]]),
  },
  {
    name: "B1c",
    title: "LIKE with many parts takes time in proportion to its text",
    answers: { quick },
    strike: (scene) => asked(scene, [STATEMENTS["LIKE with many parts"]]),
  },
  {
    name: "B2",
    title: "a subquery in IN on the same table runs once, however many rows the table has",
    answers: { quick },
    async strike(scene) {
      const accepted = await sendMany(scene, "quick", { count: ROWS, lanes: 64, withinMs: 4_000 });
      const listed = "SELECT id FROM sys_invocation WHERE id IN (SELECT id FROM sys_invocation)";
      const deed = await asked(scene, [listed]);
      return { accepted, notes: { ...deed.notes, rows: accepted.length } };
    },
  },
  {
    name: "B3",
    title: "journals with large entries are counted and shown within bounds",
    answers: { quick },
    async strike(scene) {
      const large = Buffer.alloc(LARGE_BYTES, 0x31);
      const accepted = await sendMany(scene, "quick", { count: LARGE_ENTRIES, input: () => large, lanes: 2 });
      const deed = await asked(scene, ["SELECT count(*) FROM sys_journal", "SELECT * FROM sys_journal"]);
      return { accepted, notes: { ...deed.notes, entries: accepted.length } };
    },
  },
];

/** Each level turns each letter into ten. */
function growing(levels: number): string {
  return Array.from({ length: levels }).reduce<string>((inner) => `REPLACE(${inner}, 'a', '${"a".repeat(10)}')`, "'a'");
}

function doubled(levels: number): string {
  const first = "(SELECT 1 AS x FROM sys_service) t0";
  return Array.from({ length: levels }).reduce<string>(
    (inner, _, at) => `(SELECT x + x AS x FROM ${inner}) t${at + 1}`,
    first,
  );
}

/** Runs the statements one after the other, and waits a while for later effects. */
async function asked(scene: Scene, queries: readonly string[]): Promise<Deed> {
  const accepted = [await send(scene, "quick")];
  const answers: Answered[] = [];
  for (const query of queries) answers.push(await statement(scene, query, PATIENCE_MS));
  await pause(AFTERWARDS_MS);
  const told = answers.map(({ status, tookMs, text }) => `${status} in ${Math.round(tookMs)} ms: ${text.slice(0, 80)}`);
  return { accepted, notes: { answers: told.join("; ") } };
}
