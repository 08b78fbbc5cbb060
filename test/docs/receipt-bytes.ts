/** Counts the bytes that the moments of receipt take in stored segments. */
import type { Entry } from "../../shared/core/invocation/entry.ts";
import { NO_RETRIES } from "../../shared/core/invocation/segment.ts";
import type { Nonce } from "../../shared/core/model/ids.ts";
import { NO_LEASE } from "../../shared/engine/store/acceptance-record.ts";
import { sleepEntry } from "../../shared/engine/store/entries.ts";
import { segmentItem } from "../../shared/engine/store/segment-record.ts";

const WRITTEN_MS = 1_764_000_000_000;

export interface ReceiptBytes {
  readonly what: string;
  readonly bytes: number;
}

/** Each row is a segment with entries that came so many milliseconds before it was written. */
const SEGMENTS: readonly (readonly [string, readonly number[]])[] = [
  ["one output, stored within 64 ms", [3]],
  ["ten entries of one answer, such as that of a Lambda function", Array.from({ length: 10 }, () => 12)],
  ["ten entries of an open exchange, 20 ms apart", Array.from({ length: 10 }, (_, at) => 180 - 20 * at)],
  ["a run of two seconds: its command and its result", [2_000, 0]],
  ["a run of an hour: its command and its result", [3_600_000, 0]],
];

export function receiptBytes(): readonly ReceiptBytes[] {
  return SEGMENTS.map(([what, agoMs]) => {
    const entries = agoMs.map((ago, at) => sleepEntry(at + 1, WRITTEN_MS - ago));
    return { what, bytes: sizeOf(entries) - sizeOf(entries.map(withoutReceipt)) };
  });
}

function withoutReceipt(entry: Entry): Entry {
  const { receivedAtMs: _, ...kept } = entry;
  return kept;
}

function sizeOf(entries: readonly Entry[]): number {
  const place = { pk: "inv", nonce: "0" as Nonce, lease: NO_LEASE, consumedUnits: 1, expiresAtS: 0 };
  const after = { kind: "running" } as const;
  const segment = { index: 1, writtenAtMs: WRITTEN_MS, consumed: [], entries, after, retries: NO_RETRIES };
  return (segmentItem(place, segment)["b"] as Uint8Array).length;
}
