/**
 * Loads a store with puts of 500 bytes, writes equal batches straight to its database for comparison, and prints medians and
 * ratios.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { EmbeddedTable } from "../../shared/adapters/embedded/embedded-table.ts";
import { openStore, type Store } from "../../shared/adapters/embedded/store.ts";

const ROUNDS = 5;
const PUTS = 6_000;

interface Measure {
  readonly latencyMs: number;
  readonly perSecond: number;
  readonly cpuMicros: number;
}

async function measured(concurrency: number, count: number, write: (n: number) => Promise<unknown>): Promise<Measure> {
  const latencies: number[] = [];
  let next = 0;
  const writer = async (): Promise<void> => {
    for (let n = next++; n < count; n = next++) {
      const startedMs = performance.now();
      await write(n);
      latencies.push(performance.now() - startedMs);
    }
  };
  const cpu = process.cpuUsage();
  const startedMs = performance.now();
  await Promise.all(Array.from({ length: concurrency }, writer));
  const tookMs = performance.now() - startedMs;
  const { user, system } = process.cpuUsage(cpu);
  return { latencyMs: median(latencies), perSecond: (count * 1000) / tookMs, cpuMicros: (user + system) / count };
}

function median(values: number[]): number {
  return values.sort((one, other) => one - other)[values.length >> 1]!;
}

/** Writes and syncs batches of `size` values, each as large as a stored item, without the cost of the store's group commit. */
function rawWriter(store: Store, size: number, round: string): (n: number) => Promise<unknown> {
  const value = new Uint8Array(540).fill(1);
  return (n) => {
    const put = (m: number) => ({ type: "put" as const, key: `raw${round}${n}-${m}`, value });
    return store.database.batch(
      Array.from({ length: size }, (_, m) => put(m)),
      { sync: true },
    );
  };
}

const bytes = new Uint8Array(500).fill(1);

async function compare(store: Store, concurrency: number): Promise<void> {
  const table = new EmbeddedTable(store);
  const puts: Measure[] = [];
  const raws: Measure[] = [];
  const count = concurrency === 1 ? PUTS / 4 : PUTS;
  for (let round = 0; round < ROUNDS; round++) {
    const name = `${concurrency}-${round}`;
    const put = (n: number) => table.put({ pk: `${name}-${n}`, sk: "seg#000000", bytes, n }, { kind: "absent" });
    puts.push(await measured(concurrency, count, put));
    raws.push(await measured(1, count / concurrency, rawWriter(store, concurrency, name)));
  }
  const middle = (from: Measure[], of: keyof Measure): number => median(from.map((one) => one[of]));
  const rawPerItem = middle(raws, "cpuMicros") / concurrency;
  console.log(
    `${concurrency} at once: put p50 ${middle(puts, "latencyMs").toFixed(3)} ms, ${middle(puts, "perSecond").toFixed(0)}/s, CPU ${middle(puts, "cpuMicros").toFixed(1)} µs each`,
  );
  console.log(
    `  one synced batch of ${concurrency}: p50 ${middle(raws, "latencyMs").toFixed(3)} ms, CPU ${rawPerItem.toFixed(1)} µs each`,
  );
  console.log(
    `  ratios: latency ${(middle(puts, "latencyMs") / middle(raws, "latencyMs")).toFixed(2)}, CPU ${(middle(puts, "cpuMicros") / rawPerItem).toFixed(2)}`,
  );
}

async function main(): Promise<void> {
  const dir = await mkdtemp(join(process.argv[2] ?? tmpdir(), "stepwell-bench-"));
  try {
    const store = await openStore(join(dir, "store"), { kind: "journal" });
    for (const concurrency of [1, 32, 256]) await compare(store, concurrency);
    await store.close();
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
}

void main();
