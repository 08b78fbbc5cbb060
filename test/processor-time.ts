/** How long this thread has computed. Unlike the time on the clock, it does not grow with what else the machine does. */
import { readFileSync } from "node:fs";

/** @returns milliseconds on a processor; on systems without `/proc`, those of the whole process */
export function computedMs(): number {
  try {
    return Number(readFileSync("/proc/thread-self/schedstat", "utf8").split(" ", 1)[0]) / 1_000_000;
  } catch {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1_000;
  }
}
