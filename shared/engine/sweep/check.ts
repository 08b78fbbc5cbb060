/** A look at one invocation, which a walk can record before it starts, start, and await. */
import type { InvocationId } from "../../core/model/ids.ts";
import type { Engine } from "../engine.ts";
import { load, type Loaded } from "../store/load.ts";
import { TooLargeError } from "../store/read-partition.ts";

/** `extend` reads page by page; `look` reads a whole invocation, up to a bound. */
export type Phase = "extend" | "look";

export interface Check {
  readonly id: InvocationId;
  readonly phase: Phase;
  /** @returns false where the look failed; never rejects */
  run(): Promise<boolean>;
}

/** The most that one look loads, because several run together in one process. */
const LOADED_MAX_BYTES = 4 << 20;

/**
 * Loads an invocation and looks at it.
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

/** Logs an error of the work, so that one invocation does not stop the walk. @returns whether the work succeeded */
export async function spared(engine: Engine, invocationId: InvocationId, work: () => Promise<void>): Promise<boolean> {
  try {
    await work();
    return true;
  } catch (error) {
    engine.log.error("the sweeper could not look at an invocation", { invocationId, error: String(error) });
    return false;
  }
}
