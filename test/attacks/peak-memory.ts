/** The peak of the resident memory of this process. */
import { readFileSync } from "node:fs";

const KB_PER_MB = 1_024;

/** `process.resourceUsage()` would count the memory of the parent at the moment of the fork. */
export function rssPeakMb(): number {
  const peakKb = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync("/proc/self/status", "utf8"))![1];
  return Math.round(Number(peakKb) / KB_PER_MB);
}
