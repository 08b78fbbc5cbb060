/** The states in which work is left by the version that writes a fixture, and how each is to end under the one that reads it. */
import type { Account } from "./account.ts";
import type { Asked } from "./services.ts";

/** The status in which it is left, in the words of the admin API; `open` where its driver died, of which those words differ. */
export type LeftAs = "scheduled" | "ready" | "open" | "suspended" | "backing-off" | "paused" | "completed";

export interface State {
  readonly name: string;
  readonly handler: string;
  readonly asked?: Partial<Asked>;
  /** `call`: somebody waits for it; a `send` may wait for a moment before it begins. */
  readonly way: "call" | "send";
  readonly delay?: string;
  readonly idempotencyKey?: string;
  readonly left: LeftAs;
  /** Steps that ran before, and those that are left to run: each once over both versions. */
  readonly before: readonly string[];
  readonly after: readonly string[];
  /** What an operator does about it after the upgrade. */
  readonly order?: "resolve" | "signal" | "resume" | "kill" | "cancel";
  /** The output, or the failure; absent where it goes on waiting for days. */
  readonly ends?: string;
  /** The state whose result it waits for. */
  readonly watches?: string;
  /**
   * `killed`: its driver dies in the middle of it, and has renewed its lease before. `young`: before it wrote anything behind
   * its last segment. `unworked`: nobody works on messages any more when it is accepted or cancelled.
   */
  readonly phase?: "killed" | "young" | "unworked";
  /** The steps of its child, which stands beside it as `<name>-child`. */
  readonly child?: { readonly before: readonly string[]; readonly after: readonly string[] };
}

/** Due by the time at which a fixture is read, and not while it is written. */
const NEAR_MS = 60_000;
const FAR_MS = 30 * 86_400_000;
/** Longer than an item that is kept as it is, and than a call's budget. */
const PADDING = ".".repeat(40_000);

const NAPS = { handler: "nap", way: "send", left: "suspended", before: ["before"] } as const;

export const STATES: readonly State[] = [
  {
    name: "greeted",
    handler: "greet",
    way: "call",
    left: "completed",
    before: ["greet"],
    after: [],
    ends: "Hello, greeted",
    idempotencyKey: "once",
  },
  {
    name: "plain",
    handler: "greet",
    way: "call",
    left: "completed",
    before: ["greet"],
    after: [],
    ends: "Hello, plain",
  },
  { ...NAPS, name: "napping", asked: { ms: NEAR_MS }, after: ["after"], ends: "slept" },
  { ...NAPS, name: "large", asked: { ms: NEAR_MS, padding: PADDING }, after: ["after"], ends: `slept${PADDING}` },
  { ...NAPS, name: "hibernating", asked: { ms: FAR_MS }, after: [] },
  {
    name: "later",
    handler: "greet",
    way: "send",
    delay: "60s",
    left: "scheduled",
    before: [],
    after: ["greet"],
    ends: "Hello, later",
  },
  { name: "much-later", handler: "greet", way: "send", delay: "30d", left: "scheduled", before: [], after: [] },
  {
    name: "never-killed",
    handler: "greet",
    way: "send",
    delay: "30d",
    left: "scheduled",
    before: [],
    after: [],
    order: "kill",
    ends: "404",
  },
  {
    name: "family",
    handler: "family",
    asked: { ms: NEAR_MS },
    way: "send",
    left: "suspended",
    before: ["before"],
    after: ["after"],
    ends: "the child slept",
    child: { before: ["before"], after: ["after"] },
  },
  {
    name: "asking",
    handler: "ask",
    way: "send",
    left: "suspended",
    before: ["tell"],
    after: [],
    order: "resolve",
    ends: "told all",
  },
  {
    name: "listening",
    handler: "listen",
    way: "send",
    left: "suspended",
    before: ["before"],
    after: [],
    order: "signal",
    ends: "heard it",
  },
  {
    name: "stumbling",
    handler: "stumble",
    way: "send",
    left: "backing-off",
    before: ["once"],
    after: [],
    ends: "mended: Hello, stumbling-child",
    child: { before: ["greet"], after: [] },
  },
  {
    name: "stalled",
    handler: "stall",
    way: "send",
    left: "paused",
    before: ["once"],
    after: [],
    order: "resume",
    ends: "mended",
  },
  {
    name: "stalled-killed",
    handler: "stall",
    way: "send",
    left: "paused",
    before: ["once"],
    after: [],
    order: "kill",
    ends: "409",
  },
  {
    name: "undoing",
    handler: "undo",
    asked: { ms: NEAR_MS },
    way: "send",
    left: "suspended",
    before: ["book", "unbook"],
    after: ["confirm"],
    ends: "409",
  },
  {
    name: "kept",
    handler: "undo",
    asked: { ms: 0 },
    way: "send",
    left: "suspended",
    before: ["book"],
    after: ["unbook", "confirm"],
    order: "cancel",
    ends: "409",
  },
  {
    name: "watching",
    handler: "watch",
    watches: "asking",
    way: "send",
    left: "suspended",
    before: ["before"],
    after: [],
    ends: 'saw "told all"',
  },
  {
    name: "hung",
    handler: "hang",
    way: "send",
    phase: "killed",
    left: "open",
    before: ["first"],
    after: ["second"],
    ends: "free",
  },
  {
    name: "hung-family",
    handler: "hangingFamily",
    way: "send",
    phase: "killed",
    left: "open",
    before: ["before"],
    after: [],
    ends: "the child is free",
    child: { before: ["first"], after: ["second"] },
  },
  {
    name: "young-family",
    handler: "hangingFamily",
    way: "send",
    phase: "young",
    left: "open",
    before: ["before"],
    after: [],
    ends: "the child is free",
    child: { before: ["first"], after: ["second"] },
  },
  {
    name: "waiting",
    handler: "greet",
    way: "send",
    phase: "unworked",
    left: "ready",
    before: [],
    after: ["greet"],
    ends: "Hello, waiting",
  },
  { name: "called-off", handler: "ask", way: "send", left: "suspended", before: ["tell"], after: [], ends: "409" },
];

/** Cancelled when nobody works on messages any more: the order stands in the table and was never obeyed. */
export const CALLED_OFF = "called-off";

/** Those that only functions can be left in: the local process has its messages in its own store. */
export function isOfFunctionsAlone({ name, phase }: State): boolean {
  return phase === "unworked" || name === CALLED_OFF;
}

/** The states that a fixture has. */
export function statesOf({ ids }: Account): readonly State[] {
  return STATES.filter(({ name }) => ids[name] !== undefined);
}

/** The status of a state as the drill compares it. */
export function statusWord(name: string, status: string): string {
  const isOpen = status !== "completed" && STATES.some((state) => state.name === name && state.left === "open");
  return isOpen ? "open" : status;
}

/** How many of a fixture are fixed to their deployment and stand in the open index: those that their callers' drivers took along do not. */
export function pinnedOf(account: Account): number {
  const begun = statesOf(account).filter(({ left }) => !["completed", "scheduled", "ready"].includes(left));
  return begun.length + begun.filter(({ child, left }) => left === "suspended" && child !== undefined).length;
}
