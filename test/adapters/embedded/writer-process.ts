/** A program that writes to a store until it is killed, and prints what was acknowledged to it. */
import { openEmbeddedQueue } from "../../../shared/adapters/embedded/embedded-queue.ts";
import { EmbeddedTable } from "../../../shared/adapters/embedded/embedded-table.ts";
import { openStore } from "../../../shared/adapters/embedded/store.ts";
import { invocationIdFromBytes } from "../../../shared/core/model/ids.ts";

const WRITERS = 16;
const clock = { nowMs: () => Date.now(), sleep: async () => true };

async function write(dir: string): Promise<void> {
  const store = await openStore(dir, { kind: "journal" });
  const table = new EmbeddedTable(store);
  const queue = await openEmbeddedQueue(store, clock);
  process.stdout.write("open\n");
  let next = 0;
  const writer = async (): Promise<never> => {
    for (;;) {
      const n = next++;
      const bytes = new Uint8Array(500).fill(n);
      const item = (sk: string) => ({ pk: `n${n}`, sk, n, bytes, openPk: "open", openSk: `n${n}-${sk}` });
      if (n % 3 === 0) {
        await table.put(item("a"), { kind: "absent" });
        process.stdout.write(`put ${n}\n`);
      } else if (n % 3 === 1) {
        await table.transact(
          ["a", "b", "c"].map((sk) => ({ kind: "put", item: item(sk), condition: { kind: "absent" } })),
        );
        process.stdout.write(`transact ${n}\n`);
      } else {
        const id = new Uint8Array(24);
        new DataView(id.buffer).setUint32(20, n);
        await queue.send({ invocationId: invocationIdFromBytes(id), sentAtMs: clock.nowMs(), delayMs: 0 });
        process.stdout.write(`send ${n}\n`);
      }
    }
  };
  await Promise.all(Array.from({ length: WRITERS }, writer));
}

void write(process.argv[2]!);
