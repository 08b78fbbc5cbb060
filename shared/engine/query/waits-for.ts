/** Finds what an invocation waits for; if it waits for another one, also what that one waits for, up to three levels deep. */
import type { InvocationId } from "../../core/model/ids.ts";
import { targetText } from "../../core/model/target.ts";
import { atMost } from "../bulkheads/at-most.ts";
import type { Engine } from "../engine.ts";
import { presentedStatus } from "../operate/inspect.ts";
import type { WaitView } from "../ports/submission.ts";
import type { Loaded } from "../store/load.ts";
import { loadListed } from "./load-listed.ts";
import { ownWaits } from "./wait-view.ts";

/** How many invocations deep the causes are followed. */
const DEPTH_MAX = 3;
/** The most other invocations that are read for one view; those of the upper levels come first. */
const READS_MAX = 20;
const READS_AT_ONCE = 8;

type Growing = { -readonly [Name in keyof WaitView]: WaitView[Name] };

/** Reads at most twenty other invocations; a wait whose invocation was not read has no status. */
export async function waitsFor(engine: Engine, loaded: Loaded): Promise<readonly WaitView[]> {
  const roots = await growing(engine, loaded);
  const seen = new Set<InvocationId>([loaded.invocation.acceptance.id]);
  let level = roots;
  for (let depth = 0; depth < DEPTH_MAX && level.length > 0; depth++) {
    const asked = level.filter(({ invocationId }) => isNew(seen, invocationId));
    const below = await atMost(READS_AT_ONCE, asked, (wait) => follow(engine, wait));
    level = below.flat();
  }
  return roots;
}

/** Each invocation is read once, so a circle of waits ends. */
function isNew(seen: Set<InvocationId>, id: InvocationId | undefined): boolean {
  if (id === undefined || seen.has(id) || seen.size > READS_MAX) return false;
  seen.add(id);
  return true;
}

/** Reads the invocation that `wait` names, and adds what it finds to `wait`. @returns the waits of that invocation */
async function follow(engine: Engine, wait: Growing): Promise<Growing[]> {
  const loaded = await loadListed(engine, wait.invocationId!);
  if (loaded === undefined) return [];
  const waits = await growing(engine, loaded);
  wait.status = presentedStatus(engine, loaded);
  wait.target = targetText(loaded.invocation.acceptance.target);
  if (waits.length > 0) wait.waitsFor = waits;
  return waits;
}

async function growing(engine: Engine, loaded: Loaded): Promise<Growing[]> {
  return (await ownWaits(engine, loaded)).map((wait) => ({ ...wait }));
}
