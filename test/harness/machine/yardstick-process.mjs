/** A program that does the same piece of work again and again, and reports how long each took from the moment when it was due. */
import { setTimeout as pause } from "node:timers/promises";

/** So rarely that the work takes a small part of one processor. */
const BEAT_EVERY_MS = 400;
const STEPS = 30_000_000;
/** The first pieces take longer, until the loop is compiled. */
const WARM_UPS = 3;

function work() {
  let state = 1;
  for (let step = 0; step < STEPS; step++) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    state ^= state >>> 13;
  }
  return state;
}

process.once("disconnect", () => process.exit());
for (let warmUp = 0; warmUp < WARM_UPS; warmUp++) work();
process.send({ isReady: true });
for (;;) {
  const dueMs = performance.now() + BEAT_EVERY_MS;
  await pause(BEAT_EVERY_MS);
  work();
  process.send({ tookMs: performance.now() - dueMs });
}
