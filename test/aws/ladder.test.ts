/** The timers' contract on a ladder of short delays over SQS. */
import { LadderTimers } from "../../shared/adapters/scheduler/ladder-timers.ts";
import { sendOnEarly, timersContract, type OpenTimers } from "../contracts/timers-contract.ts";
import { openQueue } from "./open-queue.ts";
import { pause, systemClock } from "./services.ts";

const HOP_MS = 2_000;
const LOOK_EVERY_MS = 200;

/** While time passes, `advance` puts early messages back, as a worker does, and makes due messages visible again for the test. */
async function openLadder(): Promise<OpenTimers> {
  const opened = await openQueue();
  const ladder: OpenTimers = {
    get queue() {
      return opened.queue;
    },
    get timers() {
      return new LadderTimers({ queue: opened.queue, clock: systemClock, hopMs: HOP_MS });
    },
    nowMs: () => opened.nowMs(),
    async advance(ms) {
      const untilMs = opened.nowMs() + ms;
      while (opened.nowMs() < untilMs) {
        for (const { wake, receipt } of await opened.queue.receive(10, 30_000, 0)) {
          if (await sendOnEarly(ladder, wake, HOP_MS)) await opened.queue.ack(receipt);
          else await opened.queue.extend(receipt, 0);
        }
        await pause(Math.min(LOOK_EVERY_MS, Math.max(0, untilMs - opened.nowMs())));
      }
    },
    reopen: () => opened.reopen(),
    close: () => opened.close(),
  };
  return ladder;
}

timersContract("ladder", openLadder, {
  unitMs: 5_000,
  marginMs: 2_500,
  lateMs: 2_000,
  tries: 400,
  keepsOrderOfCalls: false,
  knowsNames: false,
  queueDelayMaxMs: HOP_MS,
});
