/** Bounds, values and the weights of steps, from which scenes are drawn. */
import type { Refusal } from "./program.ts";

export const DEPTH_MAX = 2;
export const PROGRAMS_MAX = 9;
export const STEPS_MAX = [6, 3, 2];
export const SLEEPS_MS = [0, 1, 5, 40];
export const REFUSALS: readonly Refusal[] = [
  { code: 418, message: "no" },
  { code: 500, message: "" },
  { code: 409, message: "taken" },
  { code: 599, message: 'ü\n"quoted"' },
];
export const VALUES = [null, 0, "", "text", "ü€𝄞", [1, [2]], { a: { b: null } }, true];
export const STATE_KEYS = ["a", "b", "a/b ü"];
export const PROMISES = ["p", "q"];

export const WEIGHTS = {
  run: 6,
  sleep: 2,
  call: 4,
  send: 3,
  awakeable: 2,
  signal: 2,
  combine: 4,
  timeout: 2,
  cancel: 1,
  state: 0,
  promise: 0,
  throw: 1,
  cut: 0.5,
  refuse: 0.5,
  random: 0.5,
  hold: 1,
  odd: 0,
};
