/** A delayed send waits in the open index under its start, from its acceptance on. */
import type { Acceptance } from "../core/invocation/acceptance.ts";
import { NO_RETRIES } from "../core/invocation/segment.ts";
import type { Engine } from "./engine.ts";
import { claimCondition, holdItem } from "./hold-record.ts";
import { keepUntilS, openUntilS } from "./keep.ts";
import { wakeAt } from "./wake.ts";

export async function parkScheduled(engine: Engine, acceptance: Acceptance, startAtMs: number): Promise<void> {
  const { id, nonce, target, createdAtMs } = acceptance;
  const hold = {
    base: 0,
    token: engine.drives.newToken(),
    untilMs: 0,
    status: "scheduled" as const,
    wakeAtMs: startAtMs,
    lookAtMs: startAtMs,
    attempts: 0,
    retries: NO_RETRIES,
    keepUntilS: openUntilS(createdAtMs),
  };
  const place = {
    prefix: engine.settings.keyPrefix,
    id,
    nonce,
    target,
    expiresAtS: keepUntilS(acceptance, createdAtMs),
  };
  await engine.table.put(holdItem(place, hold), claimCondition(0, undefined));
  await wakeAt(engine, id, nonce, startAtMs, "start");
}
