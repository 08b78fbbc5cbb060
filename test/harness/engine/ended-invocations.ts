/** Completed invocations in any number, written as their drivers would have. */
import type { Acceptance } from "../../../shared/core/invocation/acceptance.ts";
import type { Segment } from "../../../shared/core/invocation/segment.ts";
import { nonceFromBytes } from "../../../shared/core/model/ids.ts";
import { acceptanceItem, NO_LEASE } from "../../../shared/engine/store/acceptance-record.ts";
import { AT_ONCE, atMost } from "../../../shared/engine/bulkheads/at-most.ts";
import type { Engine } from "../../../shared/engine/engine.ts";
import { freshId } from "../../../shared/engine/accept/invocation-ids.ts";
import { invocationPk } from "../../../shared/engine/store/item-keys.ts";
import type { Item, Table } from "../../../shared/engine/ports/table.ts";
import { segmentItem } from "../../../shared/engine/store/segment-record.ts";

const HOUR_MS = 3_600_000;

/**
 * Writes completed invocations that were accepted during the last `spanMs`; every third has one to six segments more than the
 * others.
 */
export async function complete(table: Table, engine: Engine, count: number, spanMs: number): Promise<void> {
  const nowMs = engine.clock.nowMs();
  const moments = Array.from({ length: count }, (_, i) => Math.floor(nowMs - (spanMs * (count - 1 - i)) / count));
  await atMost(AT_ONCE, moments, async (createdAtMs, i) => {
    const steps = i % 3 === 0 ? 1 + ((i / 3) % 6) : 0;
    await Promise.all(itemsOf(engine, createdAtMs, steps).map((item) => table.put(item)));
  });
}

function itemsOf(engine: Engine, createdAtMs: number, steps: number): readonly Item[] {
  const acceptance: Acceptance = {
    id: freshId(engine),
    nonce: nonceFromBytes(engine.ids.random(8)),
    target: { service: "S", handler: "greets" },
    serviceType: "service",
    handlerType: "service",
    input: new Uint8Array(100),
    headers: [],
    source: { kind: "ingress" },
    createdAtMs,
    completionRetentionMs: 24 * HOUR_MS,
    journalRetentionMs: 24 * HOUR_MS,
  };
  const { id, nonce } = acceptance;
  const place = { pk: invocationPk("", id), nonce, lease: NO_LEASE, consumedUnits: 1, expiresAtS: 1e10 };
  const segments = Array.from({ length: steps + 1 }, (_, at) => segmentOf(at + 1, createdAtMs, at === steps));
  const first = acceptanceItem(engine.settings, acceptance, NO_LEASE, 1e10);
  return [first, ...segments.map((segment) => segmentItem(place, segment))];
}

function segmentOf(index: number, writtenAtMs: number, isLast: boolean): Segment {
  const result = { kind: "success", value: new Uint8Array(1) } as const;
  return {
    index,
    writtenAtMs,
    consumed: [],
    entries: [],
    after: isLast ? { kind: "completed", result, tombstone: false, killed: false } : { kind: "running" },
    retries: { policyAttempts: 0, sinceEntry: 0 },
  };
}
