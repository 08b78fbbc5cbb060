/** A `Check` is an object that runs one look at one invocation, so that a walk can record the look before the look runs. */
import type { InvocationId } from "../../core/model/ids.ts";
import type { Engine } from "../engine.ts";
import { load, type Loaded } from "../store/load.ts";
import { TooLargeError } from "../store/read-partition.ts";

/** `extend` reads an invocation page by page; `look` loads the whole invocation, up to a bound. */
export type Phase = "extend" | "look";

export interface Check {
  readonly id: InvocationId;
  readonly phase: Phase;
  /** @returns false if the look failed; never rejects */
  run(): Promise<boolean>;
}

/** The most bytes that one look loads, because several looks run together. */
const LOADED_MAX_BYTES = 4 << 20;

/**
 * Makes a look that loads the invocation.
 * @param look the action for the loaded invocation
 * @param unread the action for an invocation that is too large to be loaded here
 */
export function checkAt(
  engine: Engine,
  id: InvocationId,
  look: (loaded: Loaded) => Promise<void>,
  unread: () => Promise<void>,
): Check {
  const run = () =>
    spared(engine, id, async () => {
      const loaded = await load(engine, id, LOADED_MAX_BYTES).catch((error: unknown) => {
        if (error instanceof TooLargeError) return "too large" as const;
        throw error;
      });
      if (loaded === "too large") await unread();
      else if (loaded !== undefined) await look(loaded);
    });
  return { id, phase: "look", run };
}

/** Catches and logs errors, so that one invocation does not stop the walk. @returns true if the work succeeded */
export async function spared(engine: Engine, invocationId: InvocationId, work: () => Promise<void>): Promise<boolean> {
  try {
    await work();
    return true;
  } catch (error) {
    engine.log.write("sweeper.look-failed", { invocationId, error: String(error) });
    return false;
  }
}
