/**
 * Shifts the clock of the process that loads this module by the milliseconds in the file CLOCK_SHIFT_FILE, as an operator or a time
 * server shifts the clock of a machine. Timers go on as they were: they follow another clock, which no one sets.
 */
import { readFileSync } from "node:fs";

const LOOK_EVERY_MS = 20;
const file = process.env.CLOCK_SHIFT_FILE;
const { now } = Date;
let [shiftMs, lookedAtMs] = [0, -Infinity];

Date.now = () => {
  if (performance.now() - lookedAtMs > LOOK_EVERY_MS) {
    lookedAtMs = performance.now();
    shiftMs = Number(readFileSync(file, "utf8"));
  }
  return now() + shiftMs;
};
