/** Reads from the system which processes run on this machine. */
import { readdirSync, readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { SEEN_WITHIN_MS } from "./patience.ts";

/**
 * Reads two fields of `/proc/<pid>/stat`: the state of the process and the id of its parent. The fields follow the last
 * parenthesis, because the name of the process before them may contain any character.
 */
function statOf(pid: number): { readonly state: string; readonly parent: number } | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, "latin1");
    const [state = "", parent] = text.slice(text.lastIndexOf(")") + 2).split(" ");
    return { state, parent: Number(parent) };
  } catch {
    return undefined;
  }
}

/** False also for a zombie, which has ended and whose parent has not reaped it. */
export function isRunning(pid: number): boolean {
  const state = statOf(pid)?.state;
  return state !== undefined && state !== "Z" && state !== "X";
}

export function childrenOf(pid: number): number[] {
  const all = readdirSync("/proc").filter((name) => /^\d+$/.test(name));
  return all.map(Number).filter((one) => statOf(one)?.parent === pid && isRunning(one));
}

/** The arguments of the process; empty after its end. */
export function commandOf(pid: number): readonly string[] {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0");
  } catch {
    return [];
  }
}

/** @throws Error if the condition does not become true in time */
export async function until(isTrue: () => boolean | Promise<boolean>): Promise<void> {
  const endMs = performance.now() + SEEN_WITHIN_MS;
  while (!(await isTrue())) {
    if (performance.now() > endMs) throw new Error(`the condition did not become true within ${SEEN_WITHIN_MS} ms`);
    await sleep(10);
  }
}
