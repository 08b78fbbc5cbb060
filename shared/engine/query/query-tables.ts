/** Runs a statement over all tables of one engine, within one budget. */
import { dataTypeOf, type TableShape } from "../../core/query/table-shape.ts";
import * as shapes from "../../core/query/table-shapes.ts";
import { FLOW_CONTROL_TABLES } from "../../core/query/table-shapes.ts";
import type { OpenCircuit } from "../../core/model/circuit.ts";
import type { DeploymentId, InvocationId, Nonce } from "../../core/model/ids.ts";
import { deploymentHealth } from "../../core/registry/deployment-health.ts";
import { addressOf } from "../../core/model/deployment.ts";
import { effectiveSettings } from "../../core/registry/effective-settings.ts";
import { Turns } from "../bulkheads/at-most.ts";
import type { Engine } from "../engine.ts";
import { ListingBudget, OWNER_LIMITS, STATEMENT_LIMITS, type ListingLimits } from "./listing-budget.ts";
import { SqlError, type Sql, type SqlRun, type SqlTable } from "../ports/sql.ts";
import { invocationTable } from "./query-invocations.ts";
import { journalEventsTable, journalTable } from "./query-journal.ts";
import { poolRows, queueRows, ruleRows } from "./query-limits.ts";
import { promiseTable, stateTable, inboxTable, keyedStatusTable, locksTable } from "./query-objects.ts";
import {
  rowOf,
  typeWord,
  type Cells,
  type Reading,
  type KeyedViews,
  type PromiseView,
  type KeyQueue,
} from "./reading.ts";
import { scheduleRows, scheduleRunRows } from "./schedule-rows.ts";
import { readsFreely } from "../ports/store-ownership.ts";
import { EMPTY_STATE } from "../../core/object/keyed-state.ts";
import { decode } from "../../core/model/proto3-decode.ts";
import { reassemble } from "../store/large-record.ts";
import { lifeAt } from "../store/lock-record.ts";
import { INBOX_RANGE, inboxKey, promiseRange } from "../store/object-keys.ts";
import { lockAt } from "../store/object-partition.ts";
import { withoutPendingEdit } from "../lock/state-edits.ts";
import { readState } from "../lock/stored-state.ts";
import type { Item } from "../ports/table.ts";
import { readPartition } from "../store/read-partition.ts";
import { opened } from "../store/record-envelope.ts";
import { resultFromStored, StoredResult } from "../store/stored-values.ts";

export interface QueryBounds extends SqlRun {
  readonly limits?: ListingLimits;
}

/** @throws SqlError if the statement cannot be parsed or answered, or would read too much */
export async function query<Answer>(
  engine: Engine,
  sql: Sql<Answer>,
  statement: string,
  { limits = limitsOf(engine), ...run }: QueryBounds = {},
): Promise<Answer> {
  engine.registry.refresh();
  return await sql.run(statement, tablesOf(await readingOf(engine, limits)), run);
}

function limitsOf({ settings }: Engine): ListingLimits {
  return readsFreely(settings) ? OWNER_LIMITS : STATEMENT_LIMITS;
}

/** The limit of loads at a time, because the system refuses many new sockets at once to a Lambda function. */
const LOADS_AT_ONCE = 8;

async function readingOf(engine: Engine, limits: ListingLimits): Promise<Reading> {
  const services = (await engine.registry.services()).map(({ service }) => service);
  const shared = services.flatMap(({ name, handlers }) =>
    handlers.filter(({ type }) => type === "shared").map((handler) => `${name}/${handler.name}`),
  );
  return {
    engine,
    budget: new ListingBudget(limits),
    loads: new Turns(LOADS_AT_ONCE),
    serviceTypes: new Map(services.map(({ name, type }) => [name, type])),
    sharedHandlers: new Set(shared),
    keyed: keyedViews(engine),
    servers: new Map(
      (await engine.registry.deployments()).flatMap(({ id, sdkVersion }) =>
        sdkVersion === undefined ? [] : [[id, sdkVersion] as const],
      ),
    ),
  };
}

/** The statuses of the rows of `sys_invocation_state`. On the reference server, these invocations are in memory. */
const TRIED = new Set(["running", "backing-off"]);

function tablesOf(reading: Reading): readonly SqlTable[] {
  const { engine } = reading;
  return [
    invocationTable(reading, shapes.INVOCATION, "presented"),
    invocationTable(reading, shapes.INVOCATION_STATUS, "stored"),
    invocationTable(reading, shapes.INVOCATION_STATE, "presented", ({ status }) => TRIED.has(status)),
    journalTable(reading),
    journalEventsTable(reading),
    listTable(shapes.DEPLOYMENT, async () => await deploymentRows(engine)),
    listTable(shapes.SERVICE, async () => await serviceRows(engine)),
    stateTable(reading),
    inboxTable(reading),
    keyedStatusTable(reading),
    promiseTable(reading),
    locksTable(reading),
    listTable(shapes.RULES, async () => await ruleRows(engine)),
    listTable(shapes.SCHEDULES, async () => await scheduleRows(engine)),
    listTable(shapes.SCHEDULE_RUNS, async () => await scheduleRunRows(engine)),
    listTable(shapes.USER_LIMITS, async () => await poolRows(engine)),
    listTable(shapes.VQUEUE_META, async () => await queueRows(reading)),
    ...FLOW_CONTROL_TABLES.map((shape) => listTable(shape, async () => [])),
    listTable(shapes.COLUMNS, async () => columnRows()),
    listTable(shapes.TABLES, async () => tableRows()),
  ];
}

function listTable(shape: TableShape, cells: () => Promise<readonly Cells[]>): SqlTable {
  return {
    shape,
    ordered: false,
    async *scan() {
      for (const row of await cells()) yield rowOf(row);
    },
  };
}

/** The cells of health cost no read: circuits come with the registry, and this process knows its own contacts. */
async function deploymentRows(engine: Engine): Promise<readonly Cells[]> {
  const deployments = await engine.registry.deployments();
  const open = [...engine.registry.circuits().values()];
  return deployments.map((deployment) => ({
    id: deployment.id,
    ty: deployment.destination.kind,
    endpoint: addressOf(deployment.destination),
    created_at: deployment.createdAtMs,
    min_service_protocol_version: deployment.minProtocolVersion,
    max_service_protocol_version: deployment.maxProtocolVersion,
    services: deployment.services.map(({ name }) => name),
    ...healthCells(engine, deployment.id, open),
  }));
}

function healthCells({ bulkheads }: Engine, id: DeploymentId, open: readonly OpenCircuit[]): Cells {
  const circuits = open.filter(({ deploymentId }) => deploymentId === id);
  const { state, sinceMs, reason, lastContactAtMs } = deploymentHealth(circuits, bulkheads.contacts.get(id));
  return { health: state, health_since: sinceMs, health_reason: reason, last_contact_at: lastContactAtMs };
}

async function serviceRows(engine: Engine): Promise<readonly Cells[]> {
  const { defaults } = engine.settings;
  return (await engine.registry.services()).map(({ service, deployment }) => ({
    name: service.name,
    revision: service.revision,
    public: effectiveSettings(service, undefined, defaults, {}).public,
    ty: typeWord(service.type),
    deployment_id: deployment.id,
  }));
}

function columnRows(): readonly Cells[] {
  return shapes.TABLE_SHAPES.flatMap(({ name, columns }) =>
    columns.map((column, at) => ({
      ...schemaOf(name),
      column_name: column.name,
      ordinal_position: at + 1,
      is_nullable: "YES",
      data_type: dataTypeOf(column),
    })),
  );
}

function tableRows(): readonly Cells[] {
  return shapes.TABLE_SHAPES.map(({ name }) => {
    const place = schemaOf(name);
    return { ...place, table_type: place.table_schema === SCHEMA ? "BASE TABLE" : "VIEW" };
  });
}

/** The names of the reference server's catalog and schema, which clients use in statements. */
const CATALOG = "restate";
const SCHEMA = "public";

function schemaOf(name: string): { table_catalog: string; table_schema: string; table_name: string } {
  const dot = name.indexOf(".");
  const schema = dot < 0 ? SCHEMA : name.slice(0, dot);
  return { table_catalog: CATALOG, table_schema: schema, table_name: name.slice(dot + 1) };
}

/** The limit of the state of one key that a statement may read. */
const STATE_MAX_BYTES = 64 * 1024 * 1024;

/** Each view costs a read of the lock and a query of the items beside it. */
function keyedViews(engine: Engine): KeyedViews {
  const lockOf = async (pk: string) => {
    const lock = await withoutPendingEdit(engine, pk, await lockAt(engine, pk));
    const { life, over } = lifeAt(lock, engine.clock.nowMs());
    return { life, state: over ? EMPTY_STATE : lock.state };
  };
  return {
    queue: (pk) => queueOf(engine, pk),
    async state(pk) {
      const { life, state } = await lockOf(pk);
      const { values, complete } = await readState(engine, pk, life, state, STATE_MAX_BYTES);
      if (complete) return values;
      throw new SqlError(
        "refused",
        `the state of this key has more than ${STATE_MAX_BYTES} bytes; only its handlers can read it`,
      );
    },
    async promises(pk) {
      const { life } = await lockOf(pk);
      const items = await readPartition(engine.table, pk, promiseRange(life));
      return (await reassemble(engine, items, String(life) as Nonce)).map(promiseView);
    },
  };
}

/** Leaves out edits of state, which queue for the key and hold it as invocations do. */
async function queueOf(engine: Engine, pk: string): Promise<KeyQueue> {
  const { holder: last, head, sinceMs, goneAtMs } = await lockAt(engine, pk);
  // The lock of an ended workflow run still names the run as holder.
  const holder = goneAtMs === undefined ? last : undefined;
  const tickets = await readPartition(engine.table, pk, { ...INBOX_RANGE, from: inboxKey(pk, head + 1).sk });
  const waiting = new Map<string, KeyQueue["waiting"][number]>();
  for (const { id, sk, void: isVoid } of tickets) {
    const waits = isVoid !== true && isInvocation(id) && id !== holder?.id;
    // An invocation with two tickets gives the key back at once when the second one is served.
    if (waits && !waiting.has(id)) waiting.set(id, { id, ticket: Number(sk.slice(INBOX_RANGE.from.length)) });
  }
  return {
    sinceMs,
    waiting: [...waiting.values()],
    ...(isInvocation(holder?.id) && { holder: holder.id }),
  };
}

function isInvocation(id: unknown): id is InvocationId {
  return typeof id === "string" && id.startsWith("inv_");
}

/** `completed` is always true: a promise has an item only after its completion. */
function promiseView({ name, sk, b }: Item): PromiseView {
  const result = resultFromStored(decode(StoredResult, opened(b, `the promise ${sk}`)));
  if (result?.kind === "failure") {
    const { code, message } = result.failure;
    return { name: String(name), completed: true, failure: `[${code}] ${message}` };
  }
  return { name: String(name), completed: true, ...(result && { value: result.value }) };
}
