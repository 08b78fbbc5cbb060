/** Prints the time and memory that a piece of work takes, as one row of the output. No test asserts these numbers. */
const MIB = 1024 * 1024;
const LOOK_EVERY_MS = 20;

export async function measured<T>(row: string, work: () => Promise<T>): Promise<T> {
  const startedAtMs = performance.now();
  const cpu = process.cpuUsage();
  const before = process.memoryUsage.rss();
  let most = before;
  const looking = setInterval(() => (most = Math.max(most, process.memoryUsage.rss())), LOOK_EVERY_MS);
  try {
    return await work();
  } finally {
    clearInterval(looking);
    const { user, system } = process.cpuUsage(cpu);
    const cpuSeconds = ((user + system) / 1e6).toFixed(1);
    const seconds = ((performance.now() - startedAtMs) / 1000).toFixed(1);
    console.log(
      `${row}: ${seconds} s (${cpuSeconds} s of CPU), rss ${mib(before)} MiB before, ${mib(most)} MiB at most`,
    );
  }
}

function mib(bytes: number): number {
  return Math.round(bytes / MIB);
}
