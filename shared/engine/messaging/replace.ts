/** Tells the former invocation of a singleton key that another one replaces it. */
import type { Acceptance } from "../../core/invocation/acceptance.ts";
import type { Engine } from "../engine.ts";
import { currentLife, deliverArrival } from "./deliver.ts";
import { wakeAt } from "./wake.ts";

/** The first arrival under a key counts, so a repeated replacement changes nothing (I7). */
const KEY = "replaced";

/**
 * Resolves once the former invocation has the arrival (I3). Its own driver ends it; a message at the end of the grace makes a worker
 * kill one whose attempt takes longer.
 */
export async function replaceFormer(engine: Engine, { id: by, replaces }: Acceptance): Promise<void> {
  if (replaces === undefined) return;
  const { id, graceMs } = replaces;
  const to = await currentLife(engine, id);
  if (to === undefined) return;
  const grace = graceMs !== undefined && { graceMs };
  const atMs = engine.clock.nowMs();
  await deliverArrival(engine, to, { key: KEY, content: { kind: "replaced", by, ...grace }, atMs });
  if (graceMs !== undefined) await wakeAt(engine, to, atMs + graceMs);
}
