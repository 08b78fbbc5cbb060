/**
 * Reads the notes of the functions: the fate of each message that they sent, and the processes that ran out of memory.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Blow } from "./killer.ts";
import type { OutOfMemory } from "./faulty/memory.ts";
import type { Fate } from "./faulty/faulty-queue.ts";

/** If at least this many lost messages are expected and no message was lost, the run fails: chance hardly ever explains that. */
const EXPECTED_MIN = 10;

export type Fates = Readonly<Record<Fate, number>>;

export function fatesIn(folder: string): Fates {
  const fates = { sent: 0, doubled: 0, lost: 0 };
  for (const fate of linesOf(folder, "messages")) fates[fate as Fate]++;
  return fates;
}

export function outOfMemoryIn(folder: string): OutOfMemory[] {
  return linesOf(folder, "memory.jsonl").map((line) => JSON.parse(line) as OutOfMemory);
}

export function memoryBlows(all: readonly OutOfMemory[]): Blow[] {
  return all.map(({ name, pid, atMs }) => ({ kind: "out of memory", name, pid, fromMs: atMs, toMs: atMs }));
}

/** @param lostShare the configured share of messages that are lost */
export function complaintsOfFates({ sent, doubled, lost }: Fates, lostShare: number): string[] {
  const isMissing = lost === 0 && (sent + doubled) * lostShare >= EXPECTED_MIN;
  return isMissing ? [`of ${sent + doubled} messages none was lost`] : [];
}

function linesOf(folder: string, file: string): string[] {
  return readFileSync(join(folder, file), "utf8").split("\n").filter(Boolean);
}
