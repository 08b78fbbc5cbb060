/** Runs the contracts on the embedded adapters. */
import { openEmbeddedQueue } from "../../shared/adapters/embedded/embedded-queue.ts";
import { EmbeddedTable } from "../../shared/adapters/embedded/embedded-table.ts";
import { openEmbeddedTimers } from "../../shared/adapters/embedded/embedded-timers.ts";
import { openStore } from "../../shared/adapters/embedded/store.ts";
import { SteppedClock } from "../stepped-clock.ts";
import { queueContract } from "./queue-contract.ts";
import { tableContract } from "./table-contract.ts";
import { removeDirectory, temporaryDirectory } from "./temporary-directory.ts";
import { timersContract, type OpenTimers } from "./timers-contract.ts";

/**
 * The contract runs on two tables. Index queries of the first return whole items; those of the second return only the keys and
 * the attribute `n`. Some items of the contract have this attribute, some lack it, and some writes change it.
 */
for (const [name, shown] of [
  ["embedded", {}],
  ["embedded, with attributes in the indexes", { list: ["n"], open: ["n"] }],
] as const)
  tableContract(name, async () => {
    const dir = await temporaryDirectory();
    const store = await openStore(dir, { kind: "journal" });
    return {
      table: new EmbeddedTable(store, shown),
      async close() {
        await store.close();
        await removeDirectory(dir);
      },
    };
  });

async function openTimers(): Promise<OpenTimers> {
  const dir = await temporaryDirectory();
  const clock = new SteppedClock();
  const open = async () => {
    const store = await openStore(dir, { kind: "journal" });
    const queue = await openEmbeddedQueue(store, clock);
    return { store, queue, timers: await openEmbeddedTimers(store, queue, clock) };
  };
  let opened = await open();
  return {
    get queue() {
      return opened.queue;
    },
    get timers() {
      return opened.timers;
    },
    nowMs: () => clock.nowMs(),
    advance: (ms) => clock.advance(ms),
    async reopen() {
      await opened.store.close();
      opened = await open();
    },
    async close() {
      await opened.store.close();
      await removeDirectory(dir);
    },
  };
}

queueContract("embedded", openTimers);
timersContract("embedded", openTimers);
