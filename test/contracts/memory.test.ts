/** Runs the contracts on the simulation's adapters, so that results of simulations hold for the real adapters. */
import { MemoryQueue } from "../simulation/memory-queue.ts";
import { MemoryTable } from "../simulation/memory-table.ts";
import { MemoryTimers } from "../simulation/memory-timers.ts";
import { SteppedClock } from "../stepped-clock.ts";
import { queueContract } from "./queue-contract.ts";
import { tableContract } from "./table-contract.ts";
import { timersContract, type OpenTimers } from "./timers-contract.ts";

tableContract("memory", async () => ({ table: new MemoryTable(), close: async () => {} }));

/** `reopen` has no effect: in a simulation the queue and the timers are outside of the simulated processes and survive them. */
async function openTimers(): Promise<OpenTimers> {
  const clock = new SteppedClock();
  const queue = new MemoryQueue(clock);
  return {
    queue,
    timers: new MemoryTimers(clock, queue),
    nowMs: () => clock.nowMs(),
    advance: (ms) => clock.advance(ms),
    reopen: async () => {},
    close: async () => {},
  };
}

queueContract("memory", openTimers);
timersContract("memory", openTimers);
