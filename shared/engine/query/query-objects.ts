/** The tables of keys: their queues, their holders, and their values. */
import type { InvocationId } from "../../core/model/ids.ts";
import type { CellValue, TableShape } from "../../core/query/table-shape.ts";
import { allows, type Narrowing } from "../../core/query/narrowing.ts";
import type { KeyOwner } from "../../core/model/target.ts";
import { readsFreely } from "../ports/store-ownership.ts";
import type { Presented } from "../../core/query/status-words.ts";
import { INBOX, KEYED_SERVICE_STATUS, LOCKS, PROMISE, STATE } from "../../core/query/table-shapes.ts";
import { invocationPk, leaseRecordKey } from "../store/item-keys.ts";
import { readLeaseRecord } from "../store/lease-record.ts";
import type { Lock } from "../store/lock-record.ts";
import { lockAt, objectPartition } from "../store/object-partition.ts";
import { partitionKey } from "./invocation-cells.ts";
import type { Summary } from "./open-listing.ts";
import type { SqlRow, SqlTable } from "../ports/sql.ts";
import { summaries } from "./query-invocations.ts";
import { keyCells, keysIn, rowOf, type Cells, type KeyQueue, type NamedKeys, type Reading } from "./reading.ts";
import { objectAt, objectsPrefix, scopedObjectsPrefix } from "../store/object-keys.ts";

/** Invocations that wait for their key: the tickets of the key that a statement names, else `pending` rows of the open index. */
export function inboxTable(reading: Reading): SqlTable {
  return queueTable(reading, INBOX, {
    ofKey: ({ waiting }) => waiting.map(({ id, ticket }) => inPartition(id, { id, sequence_number: ticket })),
    statuses: ["pending"],
    ofOpen: ({ id }) => inPartition(id, { id }),
    beside: { sequence_number: (summary) => ticketNumber(reading, summary) },
  });
}

/** Holders of keys: from the lock of the key that a statement names, else all begun invocations of handlers that need a lock. */
export function keyedStatusTable(reading: Reading): SqlTable {
  return queueTable(reading, KEYED_SERVICE_STATUS, {
    ofKey: ({ holder }) => (holder === undefined ? [] : [inPartition(holder, { invocation_id: holder })]),
    statuses: HOLDING,
    ofOpen: async (summary) =>
      (await isHolder(summary, reading)) ? inPartition(summary.id, { invocation_id: summary.id }) : undefined,
  });
}

/** Holders of keys as locks, whose names are `<service>/<key>`. */
export function locksTable(reading: Reading): SqlTable {
  const table = queueTable(reading, LOCKS, {
    ofKey: ({ holder, sinceMs }) =>
      holder === undefined ? [] : [inPartition(holder, { acquired_by: holder, acquired_at: sinceMs })],
    statuses: HOLDING,
    ofOpen: async (summary) =>
      (await isHolder(summary, reading)) ? inPartition(summary.id, { acquired_by: summary.id }) : undefined,
    beside: { acquired_at: async (summary) => (await lockOf(reading, summary))?.sinceMs },
  });
  return { ...table, scan: ({ narrowing }) => table.scan({ narrowing: byKey(narrowing) }) };
}

function byKey(narrowing: Narrowing): Narrowing {
  const names = narrowing.get("lock_name")?.in?.map((name) => /^([^/]*)\/(.*)$/s.exec(name));
  if (names === undefined) return new Map();
  const parts = names.filter((name) => name !== null);
  const scope = narrowing.get("scope");
  return new Map([
    ["service_name", { in: [...new Set(parts.map(([, service = ""]) => service))] }],
    ["service_key", { in: [...new Set(parts.map(([, , key = ""]) => key))] }],
    ...(scope === undefined ? [] : [["scope", scope] as const]),
  ]);
}

const HOLDING: readonly Presented[] = ["ready", "running", "backing-off", "suspended", "paused"];

/** Statuses in which an invocation may have begun or not, so that only the lock of its key shows whether it holds the key. */
const MAYBE_HOLDING: ReadonlySet<Presented> = new Set(["ready", "paused"]);

async function isHolder(summary: Summary, reading: Reading): Promise<boolean> {
  const { handler, service, status } = summary;
  if (reading.sharedHandlers.has(`${service}/${handler}`)) return false;
  return !MAYBE_HOLDING.has(status) || (await lockOf(reading, summary)) !== undefined;
}

/** One read. @returns the lock of the key if this invocation holds it */
async function lockOf({ engine, budget, loads }: Reading, summary: Summary): Promise<Lock | undefined> {
  budget.loads(1);
  const lock = await loads.take(() => lockAt(engine, objectPartition(engine, summary)));
  return lock.holder?.id === summary.id ? lock : undefined;
}

/** One read. @returns undefined if the invocation has not drawn its ticket yet */
async function ticketNumber({ engine, budget, loads }: Reading, { id, nonce }: Summary): Promise<number | undefined> {
  const driven = engine.activeInvocations.find(id)?.lease.ticket;
  if (driven !== undefined) return driven;
  budget.loads(1);
  const key = leaseRecordKey(invocationPk(engine.settings.keyPrefix, id), nonce);
  const found = await loads.take(() => engine.table.get(key));
  return found && readLeaseRecord(found).ticket;
}

interface QueueCells {
  ofKey(queue: KeyQueue): readonly Cells[];
  /**
   * The statuses of open invocations that may be rows. If the open index contains all invocations with these statuses, the scan
   * reads no entries of the listing. Otherwise it also reads the entries that the sweeper has not reached yet.
   */
  readonly statuses: readonly Presented[];
  /** @returns undefined if the summary is no row */
  ofOpen(summary: Summary): Cells | undefined | Promise<Cells | undefined>;
  /** Cells of the rows of `ofOpen` that cost a read. Only a statement that names one of these cells makes the read. */
  readonly beside?: Readonly<Record<string, (summary: Summary) => Promise<CellValue | undefined>>>;
}

function queueTable(reading: Reading, shape: TableShape, cells: QueueCells): SqlTable {
  return {
    shape,
    ordered: false,
    async *scan({ narrowing }) {
      const named = keysIn(narrowing);
      if (named === undefined) return yield* openRows(reading, narrowing, cells);
      for (const target of named.targets) {
        reading.budget.loads(1);
        for (const row of cells.ofKey(await reading.keyed.queue(objectPartition(reading.engine, target))))
          yield rowOf({ ...keyCells(target), ...row });
      }
      if (looksIntoScopes(reading, named)) yield* openRows(reading, narrowing, cells, true);
    },
  };
}

/** @param isScoped true for the rows of keys in scopes only */
async function* openRows(
  reading: Reading,
  narrowing: Narrowing,
  cells: QueueCells,
  isScoped = false,
): AsyncGenerator<SqlRow> {
  const open = new Map([...asInvocations(narrowing), ["status", { in: cells.statuses }] as const]);
  for await (const summary of summaries(reading, open, "presented", "oldest-first")) {
    const { key, scope } = summary;
    if (key === undefined || (isScoped && scope === undefined)) continue;
    const row = await cells.ofOpen(summary);
    if (row !== undefined) yield rowBeside({ ...keyCells(summary), ...row }, cells.beside ?? {}, summary);
  }
}

/**
 * A statement that names a key and no scope also means the key in every scope. In a table that many processes share, a search for
 * these scopes would read everything, so a statement has to name them there.
 */
function looksIntoScopes({ engine }: Reading, { anyScope }: NamedKeys): boolean {
  return anyScope && readsFreely(engine.settings);
}

/** A row with cells that are read when a statement asks for them. */
function rowBeside(cells: Cells, beside: NonNullable<QueueCells["beside"]>, summary: Summary): SqlRow {
  return {
    cell: (column) => beside[column]?.(summary) ?? cells[column],
    atHand: (column) => (column in beside ? undefined : (cells[column] ?? null)),
  };
}

function inPartition(id: InvocationId, cells: Cells): Cells {
  return { partition_key: partitionKey(id), ...cells };
}

/** The bounds on service and key, as bounds on the columns of the invocation table. */
function asInvocations(narrowing: Narrowing): Narrowing {
  const service = narrowing.get("service_name");
  const key = narrowing.get("service_key");
  const scope = narrowing.get("scope");
  return new Map([
    ...(scope === undefined ? [] : [["scope", scope] as const]),
    ...(service === undefined ? [] : [["target_service_name", service] as const]),
    ...(key === undefined ? [] : [["target_service_key", key] as const]),
  ]);
}

const TEXT = new TextDecoder("utf-8", { fatal: true });
/** The number of partitions that are read at a time. The state of one may take 64 MiB. */
const TOGETHER = 4;

/** The tables of the state and the promises of keys, read by key or by a walk over the partitions of objects. */
export function stateTable(reading: Reading): SqlTable {
  return keyedTable(reading, STATE, async (pk) => {
    const values = await reading.keyed.state(pk);
    return [...values].map(([key, value]) => ({
      key,
      key_length: new TextEncoder().encode(key).length,
      value,
      value_utf8: textIn(value),
      value_length: value.length,
    }));
  });
}

export function promiseTable(reading: Reading): SqlTable {
  return keyedTable(reading, PROMISE, async (pk) => {
    const promises = await reading.keyed.promises(pk);
    return promises.map(({ name, completed, value, failure }) => ({
      key: name,
      completed,
      completion_success_value: value,
      completion_success_value_utf8: value && textIn(value),
      completion_failure: failure,
    }));
  });
}

/** The partition of a key. `key` is absent if it is too long to be a part of `pk`. */
type Keyed = KeyOwner & { readonly pk: string };

function keyedTable(
  reading: Reading,
  shape: TableShape,
  valuesOf: (pk: string) => Promise<readonly Cells[]>,
): SqlTable {
  const { budget, loads } = reading;
  return {
    shape,
    ordered: false,
    async *scan({ narrowing }) {
      for await (const group of grouped(partitionsIn(reading, narrowing))) {
        budget.loads(group.length);
        const all = await Promise.all(group.map(({ pk }) => loads.take(() => valuesOf(pk))));
        for (const [at, owner] of group.entries())
          for (const cells of all[at]!) yield rowOf({ ...keyCells(owner), ...cells });
      }
    },
  };
}

/** The partitions of the keys that a statement names, or else of all keys of its services. */
async function* partitionsIn(reading: Reading, narrowing: Narrowing): AsyncGenerator<Keyed> {
  const { engine } = reading;
  const named = keysIn(narrowing);
  for (const target of named?.targets ?? []) yield { ...target, pk: objectPartition(engine, target) };
  if (named !== undefined && !looksIntoScopes(reading, named)) return;
  const services = narrowing.get("service_name");
  const scopes = narrowing.get("scope");
  const { keyPrefix } = engine.settings;
  for (const service of services?.in ?? [undefined]) {
    const isScoped = named !== undefined && service !== undefined;
    const prefix = isScoped ? scopedObjectsPrefix(keyPrefix, service) : objectsPrefix(keyPrefix, service);
    for await (const keyed of walk(reading, prefix))
      if (
        (service ?? keyed.service) === keyed.service &&
        allows(services, keyed.service) &&
        allows(scopes, keyed.scope)
      )
        yield* wantedIn(reading, keyed, narrowing);
  }
}

/** @param prefix may also be the beginning of keys of services whose names begin alike */
async function* walk({ engine, budget }: Reading, prefix: string): AsyncGenerator<Keyed> {
  const { keyPrefix } = engine.settings;
  let last: string | undefined;
  let after: string | undefined;
  do {
    budget.page();
    const page = await engine.table.partitions(prefix, after);
    for (const pk of page.pks) {
      if (pk !== last) yield { ...objectAt(keyPrefix, pk), pk };
      last = pk;
    }
    after = page.next;
  } while (after !== undefined);
}

function* wantedIn({ engine }: Reading, keyed: Keyed, narrowing: Narrowing): Generator<Keyed> {
  const { key } = keyed;
  const keys = narrowing.get("service_key");
  const named = keys?.in?.find((one) => objectPartition(engine, { ...keyed, key: one }) === keyed.pk);
  if (named !== undefined) yield { ...keyed, key: named };
  else if (keys?.in === undefined && (key === undefined || allows(keys, key))) yield keyed;
}

/** The first group has one partition, because a LIMIT may need no more. */
async function* grouped(all: AsyncIterable<Keyed>): AsyncGenerator<readonly Keyed[]> {
  let group: Keyed[] = [];
  let size = 1;
  for await (const one of all) {
    if (group.push(one) < size) continue;
    yield group;
    group = [];
    size = Math.min(size * 2, TOGETHER);
  }
  if (group.length > 0) yield group;
}

function textIn(value: Uint8Array): string | undefined {
  try {
    return TEXT.decode(value);
  } catch {
    return undefined;
  }
}
