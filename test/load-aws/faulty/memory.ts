/** The memory limit of Lambda, which the emulator lacks: a process above it is killed. */
import { appendFileSync } from "node:fs";

const LOOK_MS = 20;
const MB_BYTES = 1 << 20;

/** A process that was killed for its memory, as a line of the file in `LOAD_MEMORY`. */
export interface OutOfMemory {
  readonly name: string;
  readonly pid: number;
  readonly atMs: number;
  readonly mb: number;
}

/**
 * Kills this process once its memory exceeds the limit of its function. The limit of the sweeper may be lower than the deployed
 * one (`LOAD_SWEEPER_MB`), so that an invocation which a worker can drive is too large for the sweeper.
 */
export function endOverMemory(name: string): void {
  const limits = [process.env["AWS_LAMBDA_FUNCTION_MEMORY_SIZE"]];
  if (name === "sweeper") limits.push(process.env["LOAD_SWEEPER_MB"]);
  const limitMb = Math.min(...limits.map(Number).filter((mb) => mb > 0));
  const look = (): void => {
    const mb = Math.round(process.memoryUsage.rss() / MB_BYTES);
    if (mb <= limitMb) return;
    const ended: OutOfMemory = { name, pid: process.pid, atMs: Date.now(), mb };
    appendFileSync(process.env["LOAD_MEMORY"]!, `${JSON.stringify(ended)}\n`);
    process.kill(process.pid, "SIGKILL");
  };
  setInterval(look, LOOK_MS).unref();
}
