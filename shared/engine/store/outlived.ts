/**
 * Tells an open invocation from an ended one whose end a shared table has deleted already, while the acceptance is still there
 * (ADR 0034).
 */
import type { Phase } from "../../core/invocation/invocation.ts";
import type { Item } from "../ports/table.ts";
import { ACCEPTANCE_SK } from "./item-keys.ts";
import { MissingPieceError } from "./large-record.ts";
import { AbsentArrivalError } from "./segment-record.ts";
import type { LeaseRecord } from "./lease-record.ts";
import type { StorePorts } from "./store-ports.ts";
import { mayHaveLostEnd } from "./ttl.ts";

/** The facts that the stored items show about an invocation without a final segment. */
export interface Remains {
  /** The expiry of the acceptance, or of a segment, which expires no earlier. */
  readonly expiresAtS: unknown;
  /** The attribute `end` of the acceptance. */
  readonly end?: unknown;
  readonly leaseRecord?: Pick<LeaseRecord, "status" | "lookAtMs"> | undefined;
  /** The end of the lease. */
  readonly untilMs: number;
}

/**
 * True if the invocation has ended although no final segment is stored. The attribute `end` and a lease record with the status
 * `completed` are written after the end, so each proves it. Without them the expiry decides: after two weeks the sweeper has put
 * an open invocation into the open index and has extended it. An invocation in the open index is open even if its items have
 * expired, because the sweeper may have rested; so is one under a live lease.
 */
export function isOutlived({ settings, clock }: Pick<StorePorts, "settings" | "clock">, remains: Remains): boolean {
  const { expiresAtS, end, leaseRecord, untilMs } = remains;
  if (end === true || leaseRecord?.status === "completed") return true;
  const nowMs = clock.nowMs();
  return mayHaveLostEnd(settings, expiresAtS, nowMs) && leaseRecord?.lookAtMs === undefined && untilMs <= nowMs;
}

/** The part of a loaded invocation that shows whether it is open. */
interface Standing {
  readonly invocation: { readonly phase: Phase };
  readonly leaseRecord?: LeaseRecord;
  readonly lease: { readonly untilMs: number };
}

/**
 * @param items the items of the invocation, with its acceptance if one is stored
 * @returns undefined for an invocation that has ended although its final segment, or a part of it, is not stored any more
 */
export async function unlessOutlived<T extends Standing>(
  engine: StorePorts,
  items: readonly Item[],
  assembled: () => Promise<T | undefined>,
): Promise<T | undefined> {
  const first = items.find(({ sk }) => sk === ACCEPTANCE_SK);
  try {
    const loaded = await assembled();
    if (loaded === undefined || loaded.invocation.phase.status === "completed") return loaded;
    const { leaseRecord, lease } = loaded;
    const remains = { expiresAtS: first?.["expiresAtS"], end: first?.["end"], leaseRecord, untilMs: lease.untilMs };
    return isOutlived(engine, remains) ? undefined : loaded;
  } catch (error) {
    const isLacking = error instanceof AbsentArrivalError || error instanceof MissingPieceError;
    if (isLacking && mayHaveLostEnd(engine.settings, first?.["expiresAtS"], engine.clock.nowMs())) return undefined;
    throw error;
  }
}
