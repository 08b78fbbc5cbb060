/** A process of the simulation while it lives. */
import type { Engine } from "../../../shared/engine/engine.ts";
import type { Mortal } from "./mortal.ts";

/** Plants a mistake, which a judge must detect, into the engine of every process. */
export type Sabotage = (engine: Engine) => Engine;

export interface Running {
  readonly mortal: Mortal;
  readonly engine: Engine;
  /** Rejects with the death of the process. */
  readonly death: Promise<never>;
  /**
   * `sweeps` is a separate sweeper: it takes no requests, and no messages except dead letters. `one-thing` is a function, which
   * works on one thing at a time.
   */
  readonly does: "everything" | "serves" | "sweeps" | "one-thing";
  /** True once the process takes requests. */
  serves: boolean;
}
