/** Runs a statement over all tables of one engine, within one budget. */
import { dataTypeOf, type TableShape } from "../../core/query/table-shape.ts";
import { FLOW_CONTROL_TABLES } from "../../core/query/flow-control-shapes.ts";
import * as shapes from "../../core/query/table-shapes.ts";
import type { OpenCircuit } from "../../core/model/circuit.ts";
import type { DeploymentId } from "../../core/model/ids.ts";
import { deploymentHealth } from "../../core/registry/deployment-health.ts";
import { addressOf } from "../../core/model/deployment.ts";
import { effectiveSettings } from "../../core/registry/effective-settings.ts";
import { Turns } from "../bulkheads/at-most.ts";
import type { Engine } from "../engine.ts";
import { ListingBudget, type ListingLimits, OWNER_LIMITS, STATEMENT_LIMITS } from "./listing-budget.ts";
import type { Sql, SqlRun, SqlTable } from "../ports/sql.ts";
import { invocationTable } from "./query-invocations.ts";
import { journalEventsTable, journalTable } from "./query-journal.ts";
import { keyedViews } from "./keyed-views.ts";
import { promiseTable, stateTable } from "./query-keyed-values.ts";
import { inboxTable, keyedStatusTable, locksTable } from "./query-objects.ts";
import { type Cells, type Reading, rowOf, typeWord } from "./reading.ts";
import { readsFreely } from "../ports/store-ownership.ts";

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
