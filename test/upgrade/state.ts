/** One state of an invocation in a fixture, and how the invocation ends under the version that reads the fixture. */
import type { Asked } from "./services.ts";

/** The status in the admin API; `open` for a dead driver's invocation, whose status differs by version. */
export type LeftAs = "scheduled" | "pending" | "ready" | "open" | "suspended" | "backing-off" | "paused" | "completed";

export interface State {
  readonly name: string;
  /** `Drill` if absent. */
  readonly service?: string;
  readonly key?: string;
  readonly handler: string;
  readonly asked?: Partial<Asked>;
  /** `call`: a caller waits for it; a `send` may have a delay. */
  readonly way: "call" | "send";
  readonly delay?: string;
  readonly idempotencyKey?: string;
  readonly left: LeftAs;
  /**
   * `before`: the steps that run before the fixture is written. `after`: the steps that run later. Each step runs once, counted
   * over both versions.
   */
  readonly before: readonly string[];
  readonly after: readonly string[];
  /** The operation after the upgrade. */
  readonly order?: "resolve" | "signal" | "say" | "resume" | "kill" | "cancel";
  /** The output, or the failure; absent if the invocation waits for days. */
  readonly ends?: string;
  /** The name of another state. The invocation of this state attaches to the invocation of that other state. */
  readonly watches?: string;
  /**
   * `killed`: its driver dies during a step, after it has renewed its lease. `young`: its driver dies before it has renewed its
   * lease. `unworked`: no worker takes messages when it is accepted or cancelled.
   */
  readonly phase?: "killed" | "young" | "unworked";
  /** The steps of its child `<name>-child`. */
  readonly child?: { readonly before: readonly string[]; readonly after: readonly string[] };
}

/** A sleep of this length does not end while a fixture is written, and is over when the fixture is read. */
export const NEAR_MS = 60_000;
export const FAR_MS = 30 * 86_400_000;

/** The common part of all sleeping states. */
export const NAPS = { handler: "nap", way: "send", left: "suspended", before: ["before"] } as const;
