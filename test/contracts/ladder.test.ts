/** Runs the timers contract on the ladder, whose timers are sequences of 15-minute delays in the embedded queue. */
import { openEmbeddedQueue } from "../../shared/adapters/embedded/embedded-queue.ts";
import { openStore } from "../../shared/adapters/embedded/store.ts";
import { LadderTimers } from "../../shared/adapters/scheduler/ladder-timers.ts";
import { SteppedClock } from "../stepped-clock.ts";
import { removeDirectory, temporaryDirectory } from "./temporary-directory.ts";
import { timersContract, type OpenTimers } from "./timers-contract.ts";

const HOP_MS = 900_000;

async function openLadder(): Promise<OpenTimers> {
  const dir = await temporaryDirectory();
  const clock = new SteppedClock();
  const open = async () => {
    const store = await openStore(dir, { kind: "journal" });
    const queue = await openEmbeddedQueue(store, clock);
    return { store, queue, timers: new LadderTimers({ queue, clock, hopMs: HOP_MS }) };
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

timersContract("ladder", openLadder, {
  unitMs: 3_600_000,
  marginMs: 1,
  lateMs: 0,
  tries: 4_000,
  keepsOrderOfCalls: true,
  knowsNames: false,
  queueDelayMaxMs: HOP_MS,
});
