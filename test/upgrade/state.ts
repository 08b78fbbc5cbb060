/** One state in which work is left by the version that writes a fixture, and how it is to end under the one that reads it. */
import type { Asked } from "./services.ts";

/** The status in which it is left, in the words of the admin API; `open` where its driver died, of which those words differ. */
export type LeftAs = "scheduled" | "pending" | "ready" | "open" | "suspended" | "backing-off" | "paused" | "completed";

export interface State {
  readonly name: string;
  /** `Drill` unless told. */
  readonly service?: string;
  readonly key?: string;
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
  readonly order?: "resolve" | "signal" | "say" | "resume" | "kill" | "cancel";
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
export const NEAR_MS = 60_000;
export const FAR_MS = 30 * 86_400_000;

/** What all that sleep have in common. */
export const NAPS = { handler: "nap", way: "send", left: "suspended", before: ["before"] } as const;
