/**
 * The states that need keyed services or orders such as a pause. A fixture contains them only if the version that wrote it
 * supports both. A version counts as supporting both if it accepts the call of the first state.
 */
import { NAPS, NEAR_MS, type State } from "./state.ts";

/** Longer than the largest item. */
const HUGE = ".".repeat(700_000);
/** Paused by an operator while it backs off. */
export const HALTED = "halted";

export const NEWER_STATES: readonly State[] = [
  {
    name: "counted",
    service: "Tally",
    key: "a",
    handler: "add",
    way: "call",
    left: "completed",
    before: ["add"],
    after: [],
    ends: "1",
  },
  {
    name: "holding",
    service: "Tally",
    key: "b",
    handler: "hold",
    asked: { ms: NEAR_MS },
    way: "send",
    left: "suspended",
    before: ["before"],
    after: ["after"],
    ends: "1",
  },
  {
    name: "in-line",
    service: "Tally",
    key: "b",
    handler: "add",
    way: "send",
    left: "pending",
    before: [],
    after: ["add"],
    ends: "2",
  },
  {
    name: "flowing",
    service: "Flow",
    key: "f",
    handler: "run",
    way: "send",
    left: "suspended",
    before: ["before"],
    after: [],
    order: "say",
    ends: "heard it",
  },
  {
    name: HALTED,
    handler: "stumble",
    way: "send",
    left: "paused",
    before: ["once"],
    after: [],
    order: "resume",
    ends: `mended: Hello, ${HALTED}-child`,
    child: { before: ["greet"], after: [] },
  },
  {
    ...NAPS,
    name: "huge",
    asked: { ms: NEAR_MS, padding: HUGE },
    after: ["after"],
    ends: `slept${HUGE}`,
  },
];
