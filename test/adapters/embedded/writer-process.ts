/** A program that writes to a store until it is killed, and prints the outcome of each write. */
import { writeSync } from "node:fs";
import { openEmbeddedQueue } from "../../../shared/adapters/embedded/embedded-queue.ts";
import { EmbeddedTable } from "../../../shared/adapters/embedded/embedded-table.ts";
import { openStore } from "../../../shared/adapters/embedded/store.ts";
import { invocationIdFromBytes } from "../../../shared/core/model/ids.ts";
import { StoreError } from "../../../shared/engine/ports/table.ts";

const WRITERS = 16;
const clock = { nowMs: () => Date.now(), sleep: async () => true };

/** Writes synchronously, because lines in a buffer would be lost with the process, although the writes were acknowledged. */
const print = (line: string): void => void writeSync(1, `${line}\n`);

async function write(dir: string): Promise<void> {
  const store = await openStore(dir, { kind: "journal" });
  const table = new EmbeddedTable(store);
  const queue = await openEmbeddedQueue(store, clock);
  print("open");
  let next = 0;
  const writeOne = async (n: number): Promise<string> => {
    const bytes = new Uint8Array(500).fill(n);
    const item = (sk: string) => ({ pk: `n${n}`, sk, n, bytes, openPk: "open", openSk: `n${n}-${sk}` });
    if (n % 3 === 0) {
      await table.put(item("a"), { kind: "absent" });
      return `put ${n}`;
    }
    if (n % 3 === 1) {
      const put = (sk: string) => ({ kind: "put", item: item(sk), condition: { kind: "absent" } }) as const;
      await table.transact(["a", "b", "c"].map(put));
      return `transact ${n}`;
    }
    const id = new Uint8Array(24);
    new DataView(id.buffer).setUint32(20, n);
    await queue.send({ invocationId: invocationIdFromBytes(id), sentAtMs: clock.nowMs(), delayMs: 0 });
    return `send ${n}`;
  };
  const writer = async (): Promise<never> => {
    for (;;) {
      const n = next++;
      const outcome = await writeOne(n).catch((error: unknown) => {
        if (!(error instanceof StoreError)) throw error;
        return `failed ${n}`;
      });
      print(outcome);
    }
  };
  await Promise.all(Array.from({ length: WRITERS }, writer));
}

void write(process.argv[2]!);
