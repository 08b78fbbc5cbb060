/** Finds what invocations wait for: one with the waits below it, or the open rows of a list. */
import type { InvocationId } from "../../core/model/ids.ts";
import { targetText } from "../../core/model/target.ts";
import { atMost } from "../bulkheads/at-most.ts";
import type { Engine } from "../engine.ts";
import { presentedStatus } from "../operate/inspect.ts";
import type { WaitView } from "../ports/submission.ts";
import { hasExpired, type Loaded, SMALL_MAX_BYTES } from "../store/load.ts";
import { ownWaits } from "./wait-view.ts";
import { StoreError } from "../ports/table.ts";
import { loadWithMoments } from "../store/recorder.ts";
import { TooLargeError } from "../store/read-partition.ts";
import type { DetailedRow } from "./row-details.ts";

/** How many invocations deep the causes are followed. */
const DEPTH_MAX = 3;
/** The most other invocations that are read for one view; those of the upper levels come first. */
const READS_MAX = 20;
const READS_AT_ONCE = 8;

type Growing = { -readonly [Name in keyof WaitView]: WaitView[Name] };

/** Follows waits for other invocations up to three levels deep. Reads at most twenty other invocations; a wait whose invocation was not read has no status. */
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

/** Loads an invocation for a row of a list. @returns undefined if it is gone, or too large to be read beside others */
export async function loadListed(engine: Engine, id: InvocationId): Promise<Loaded | undefined> {
  try {
    const loaded = await loadWithMoments(engine, id, SMALL_MAX_BYTES);
    return loaded === undefined || hasExpired(loaded, engine.clock.nowMs()) ? undefined : loaded;
  } catch (error) {
    if (error instanceof TooLargeError || error instanceof StoreError) return undefined;
    throw error;
  }
}

const LOADS_AT_ONCE = 8;
/** Each load costs a read unit or more, so rows after the first 200 have no waits. */
const LOADS_MAX = 200;

/** Does not follow a wait to another invocation. Costs a load for each open row; a pending row costs one more read. @returns the waits by id */
export async function waitsOfRows(
  engine: Engine,
  rows: readonly DetailedRow[],
): Promise<ReadonlyMap<InvocationId, readonly WaitView[]>> {
  const open = rows.filter(({ status }) => status !== "completed").slice(0, LOADS_MAX);
  // This read refreshes the registry in memory, which shows the open circuits that invocations wait for.
  if (open.length > 0) await engine.registry.deployments();
  const found = await atMost(LOADS_AT_ONCE, open, async ({ id }) => {
    const loaded = await loadListed(engine, id);
    return loaded === undefined ? undefined : ([id, await ownWaits(engine, loaded)] as const);
  });
  return new Map(found.filter((one) => one !== undefined));
}
