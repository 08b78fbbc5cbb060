/** The rules for a segment that has just been written, and for the effects of the segment before it. */
import { effectsOf } from "../../../shared/core/invocation/effects.ts";
import type { Entry } from "../../../shared/core/invocation/entry.ts";
import { CANCEL_SIGNAL } from "../../../shared/core/protocol/command-parts.ts";
import type { Invocation } from "../../../shared/core/invocation/invocation.ts";
import type { Segment } from "../../../shared/core/invocation/segment.ts";
import { parseAwakeableId } from "../../../shared/core/protocol/awakeable-id.ts";
import { EARLY } from "../../../shared/engine/store/item-keys.ts";
import { lockOf } from "./lock-rules.ts";
import type { WatchedTable } from "./watched-table.ts";

/** An invocation ends once, and its journal lists every arrival once and every completion once. */
export function segmentComplaints(pk: string, before: Invocation, segment: Segment): string[] {
  const complaints: string[] = [];
  if (before.phase.status === "completed") complaints.push(`${pk} has ended twice`);
  const taken = new Set(before.consumed);
  for (const { key } of segment.consumed) {
    if (taken.has(key)) complaints.push(`${pk} lists the arrival ${key} twice (I12)`);
    taken.add(key);
  }
  const completed = new Set(before.journal.completed);
  const entries: Entry[] = [...segment.consumed.map(({ entry }) => entry), ...segment.entries];
  for (const entry of entries) {
    if (entry.kind !== "notification" || !("completionId" in entry.id)) continue;
    const { completionId } = entry.id;
    if (completed.has(completionId)) complaints.push(`${pk} has two completions ${completionId} in its journal`);
    completed.add(completionId);
  }
  return complaints;
}

/** I2: the writer of a segment has performed the effects of the one before. */
export function missingEffects(table: WatchedTable, pk: string, before: Invocation, segment: Segment): string[] {
  const stands = (owner: string, sk: string) => table.shown({ pk: `inv#${owner}`, sk });
  return effectsOf(before, segment).flatMap((effect) => {
    if (effect.kind === "accept-child")
      return stands(effect.childId, "seg#000000") === undefined ? [`${pk} goes on without its child (I2)`] : [];
    if (effect.kind === "apply-state") {
      const { holder, grant, applied } = lockOf(table, before.acceptance.target);
      const isMine = holder?.nonce === before.acceptance.nonce && grant === effect.changes.grant;
      return isMine && applied < segment.index ? [`${pk} goes on, and its state is not applied (I2)`] : [];
    }
    let told: { readonly id: string; readonly key: string } | undefined;
    if (effect.kind === "signal") {
      const once = "index" in effect.signal && effect.signal.index !== CANCEL_SIGNAL;
      const key = once && "index" in effect.signal ? `s${effect.signal.index}` : `x${effect.senderKey}`;
      told = { id: effect.invocationId, key };
    } else if (effect.kind === "complete-awakeable") {
      const { invocationId, index } = parseAwakeableId(effect.awakeableId);
      told = { id: invocationId, key: `s${index}` };
    }
    if (told === undefined) return [];
    const { id, key } = told;
    const nonce = stands(id, "seg#000000")?.["n"];
    if (nonce === undefined) return [];
    if ([String(nonce), EARLY].some((owner) => stands(id, `arr#${owner}#${key}`) !== undefined)) return [];
    return [`${pk} goes on, and ${told.id} was not told ${told.key} (I2)`];
  });
}
