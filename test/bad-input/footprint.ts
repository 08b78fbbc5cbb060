/** The footprint of this process: memory after a collection, sockets, and the rows of a store. */
import { setTimeout as sleep } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { ClassicLevel } from "classic-level";
import { expect } from "vitest";

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc") as () => void;

const MEMORY_MORE_MAX_BYTES = 8 * 1024 * 1024;
/** Connections that clients keep for their next request. */
const SOCKETS_MORE_MAX = 8;
const SETTLE_TRIES = 5_000;

export interface Footprint {
  readonly sockets: number;
  readonly memoryBytes: number;
}

export function footprint(): Footprint {
  collect();
  const sockets = process.getActiveResourcesInfo().filter((kind) => kind === "TCPSocketWrap").length;
  const { heapUsed, external } = process.memoryUsage();
  return { sockets, memoryBytes: heapUsed + external };
}

/**
 * Waits until this process holds no more than before, within a margin.
 * @throws AssertionError if it keeps holding more
 */
export async function expectNoMoreThan(before: Footprint): Promise<void> {
  let now = footprint();
  for (let tries = 0; tries < SETTLE_TRIES && exceeds(now, before); tries++) {
    await sleep(20);
    now = footprint();
  }
  expect(now.sockets, "sockets").toBeLessThanOrEqual(before.sockets + SOCKETS_MORE_MAX);
  expect(now.memoryBytes, "bytes of memory").toBeLessThanOrEqual(before.memoryBytes + MEMORY_MORE_MAX_BYTES);
}

function exceeds(now: Footprint, before: Footprint): boolean {
  return (
    now.sockets > before.sockets + SOCKETS_MORE_MAX || now.memoryBytes > before.memoryBytes + MEMORY_MORE_MAX_BYTES
  );
}

/** Counts the rows of a store that no process has open. */
export async function rowsOf(storeDir: string): Promise<number> {
  const database = new ClassicLevel(`${storeDir}/db`);
  try {
    return (await database.keys().all()).length;
  } finally {
    await database.close();
  }
}
