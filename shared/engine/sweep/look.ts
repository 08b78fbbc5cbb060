/** One look at one invocation, in a form that a walk can begin, wait for, and write down before it begins. */
import type { InvocationId } from "../../core/model/ids.ts";
import type { Engine } from "../engine.ts";
import { load, type Loaded } from "../ledger/load.ts";
import { TooLargeError } from "../ledger/read-partition.ts";

/** An extension reads page by page; a look reads a whole invocation, up to a bound. */
export type Phase = "extend" | "look";

export interface Look {
  readonly id: InvocationId;
  readonly phase: Phase;
  /** @returns false where the invocation could not be looked at; never rejects */
  run(): Promise<boolean>;
}

/** Looks that go on together bring no more than this into memory, each. */
const LOADED_MAX_BYTES = 4 << 20;

/**
 * Loads an invocation and looks at it.
 * @param unread does what can be done for an invocation that is too large to be loaded here
 */
export function lookAt(
  engine: Engine,
  id: InvocationId,
  look: (loaded: Loaded) => Promise<void>,
  unread: () => Promise<void>,
): Look {
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

/** One invocation that cannot be looked at must not keep the sweeper from all others. @returns whether the work was done */
export async function spared(engine: Engine, invocationId: InvocationId, work: () => Promise<void>): Promise<boolean> {
  try {
    await work();
    return true;
  } catch (error) {
    engine.log.error("the sweeper could not look at an invocation", { invocationId, error: String(error) });
    return false;
  }
}
