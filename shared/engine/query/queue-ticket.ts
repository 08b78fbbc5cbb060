/** The ticket by which an invocation waits, or waited, for its key. */
import type { Engine } from "../engine.ts";
import { inboxKey } from "../store/object-keys.ts";
import type { Key } from "../ports/table.ts";
import type { Loaded } from "../store/load.ts";
import { objectPartition } from "../store/object-partition.ts";

/** @returns the key of the ticket's item; undefined for an invocation that never queued */
export function ticketOf(engine: Engine, { invocation, leaseRecord }: Loaded): Key | undefined {
  const { id, target } = invocation.acceptance;
  const ticket = engine.activeInvocations.find(id)?.lease.ticket ?? leaseRecord?.ticket;
  return ticket === undefined ? undefined : inboxKey(objectPartition(engine, target), ticket);
}

/** One read. @returns undefined if the ticket was voided or has expired, 30 days after it was drawn or extended */
export async function queuedAtMs({ table }: Engine, ticket: Key): Promise<number | undefined> {
  const drawnAtMs = (await table.get(ticket))?.["drawnAtMs"];
  return typeof drawnAtMs === "number" ? drawnAtMs : undefined;
}
