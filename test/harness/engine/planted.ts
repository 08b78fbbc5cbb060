/** Writes any number of invocations that the sweeper must look at, as their drivers would have left them. */
import type { Acceptance } from "../../../shared/core/invocation/acceptance.ts";
import { NO_RETRIES } from "../../../shared/core/invocation/segment.ts";
import { type InvocationId, nonceFromBytes, type Token } from "../../../shared/core/model/ids.ts";
import { freshId } from "../../../shared/engine/accept/invocation-ids.ts";
import type { Engine } from "../../../shared/engine/engine.ts";
import { acceptanceItem, type Lease, NO_LEASE } from "../../../shared/engine/store/acceptance-record.ts";
import { type LeaseRecord, leaseRecordItem } from "../../../shared/engine/store/lease-record.ts";
import { invocationPk } from "../../../shared/engine/store/item-keys.ts";
import type { Wake } from "../../../shared/engine/ports/queue.ts";
import type { Item, Table } from "../../../shared/engine/ports/table.ts";
import type { Actor, Stage } from "./engine-fixture.ts";

const DAY_MS = 86_400_000;
const EXPIRES_AT_S = 1e10;

export type Planted = Pick<LeaseRecord, "status" | "lookAtMs"> & { readonly untilMs?: number };

/**
 * Writes invocations with a lease record, parked or abandoned, accepted a day ago.
 * @param table the plain table, not a wrapper that counts calls or injects faults
 */
export async function plantOpen(table: Table, engine: Engine, holds: readonly Planted[]): Promise<InvocationId[]> {
  const createdAtMs = engine.clock.nowMs() - DAY_MS;
  return await Promise.all(holds.map((hold) => plant(table, engine, createdAtMs, hold)));
}

/**
 * Writes invocations without a lease record. They are driven under `lease`, or are abandoned if no lease is given.
 * @param table the plain table, not a wrapper that counts calls or injects faults
 */
export async function plantListed(
  table: Table,
  engine: Engine,
  createdAtMs: readonly number[],
  lease: Lease = NO_LEASE,
): Promise<InvocationId[]> {
  return await Promise.all(createdAtMs.map((atMs) => plant(table, engine, atMs, undefined, lease)));
}

async function plant(
  table: Table,
  engine: Engine,
  createdAtMs: number,
  planted?: Planted,
  lease: Lease = NO_LEASE,
): Promise<InvocationId> {
  const [id, nonce] = [freshId(engine), nonceFromBytes(engine.ids.random(8))];
  const target = { service: "S", handler: "waits" };
  const acceptance: Acceptance = {
    id,
    nonce,
    target,
    serviceType: "service",
    handlerType: "service",
    input: new Uint8Array(0),
    headers: [],
    source: { kind: "ingress" },
    createdAtMs,
    completionRetentionMs: DAY_MS,
    journalRetentionMs: DAY_MS,
  };
  await table.put(acceptanceItem(engine.settings, acceptance, lease, EXPIRES_AT_S));
  if (planted === undefined) return id;
  const place = { scheme: engine.settings, id, nonce, target, createdAtMs, expiresAtS: EXPIRES_AT_S };
  const hold = {
    base: 0,
    token: "somebody.1" as Token,
    untilMs: 0,
    attempts: 1,
    retries: NO_RETRIES,
    keepUntilS: EXPIRES_AT_S,
    ...(planted.status === "backing-off" && planted.lookAtMs !== undefined && { wakeAtMs: planted.lookAtMs }),
    ...planted,
  };
  await table.put(leaseRecordItem(place, hold));
  return id;
}

/** @returns the invocations to which a process has sent messages */
export function wokenBy({ process }: Pick<Actor, "process">): InvocationId[] {
  const sent = process.calls.filter(({ port, method }) => port === "queue" && method === "send");
  return sent.map(({ args }) => (args[0] as Wake).invocationId);
}

/** The methods of ports that change something. */
export const WRITES: ReadonlySet<string> = new Set(["put", "update", "delete", "transact", "send", "at"]);

/** @returns the calls of a process, except reads of the table and writes of the sweeper's progress */
export function changedBy({ process }: Pick<Actor, "process">): readonly unknown[] {
  const asked = process.calls.filter(({ port, method }) => port !== "table" || WRITES.has(method));
  return asked.filter(({ args: [item] }) => (item as Partial<Item>)?.pk !== "sweeper");
}

/** Makes each later look of a process take `lookMs` milliseconds. */
export function slowed({ process }: Actor, { pulse }: Stage, lookMs: number): void {
  process.before = ({ method, args: [pk] }) =>
    method === "query" && String(pk).startsWith(invocationPk("", ""))
      ? pulse.sleep(lookMs).then(() => undefined)
      : undefined;
}
