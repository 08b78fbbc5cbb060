/** One invocation as a row. Some cells come from the indexes. The others are loaded when a statement reads them. */
import { type Presented, statusIn, type StatusWords } from "../../core/query/status-words.ts";
import type { CellValue } from "../../core/query/table-shape.ts";
import { INVOCATION_STATE } from "../../core/query/table-shapes.ts";
import { targetText } from "../../core/model/target.ts";
import { invocationCells, partitionKey } from "./invocation-cells.ts";
import { WITHOUT_ATTEMPTS } from "./attempt-cells.ts";
import { hasExpired, type Loaded } from "../store/load.ts";
import { loadHeads } from "../store/recorder.ts";
import type { Summary } from "./open-listing.ts";
import type { SqlRow } from "../ports/sql.ts";
import { type Cells, type Reading, typeWord } from "./reading.ts";
import { waitsJson, ownWaits } from "./wait-view.ts";
import { readsFreely } from "../ports/store-ownership.ts";
import type { Engine } from "../engine.ts";
import { inboxKey } from "../store/object-keys.ts";
import type { Key } from "../ports/table.ts";
import { objectPartition } from "../store/object-partition.ts";

/** Columns that have values only after an attempt has begun, and until the end. */
const OF_ATTEMPTS = new Set(INVOCATION_STATE.columns.map(({ name }) => name).filter((name) => name !== "id"));
/** The columns of attempts that keep their values while an invocation is suspended. */
const OF_LAST_ATTEMPT = new Set(["last_start_at", "last_attempt_deployment_id", "last_attempt_server"]);
/** Columns that have values only after the end. */
const OF_ENDS = new Set(["outcome", "completed_at", "completion_result", "completion_failure"]);
const OF_PAUSES = new Set(["pause_reason", "paused_at", "paused_by"]);
const OF_SUSPENSIONS = /^suspended_waiting_/;
/** Columns that cost a read in addition to the load of the invocation. */
const BESIDE = ["waits_for", "inboxed_at"] as const;
type Beside = (typeof BESIDE)[number];

export class InvocationRow implements SqlRow {
  readonly #reading: Reading;
  readonly #summary: Summary;
  readonly #words: StatusWords;
  #loaded: Promise<Loaded | undefined> | undefined;
  #details: Promise<Cells> | undefined;
  readonly #beside = new Map<string, Promise<CellValue | undefined>>();

  constructor(reading: Reading, summary: Summary, words: StatusWords) {
    this.#reading = reading;
    this.#summary = summary;
    this.#words = words;
  }

  cell(column: string): CellValue | undefined | Promise<CellValue | undefined> {
    const shown = this.atHand(column);
    if (shown !== undefined) return shown;
    return isBeside(column) ? this.#oneBeside(column) : this.#detail(column);
  }

  atHand(column: string): CellValue | undefined {
    const { id, service, handler, key, scope, status, createdAtMs, deploymentId } = this.#summary;
    switch (column) {
      case "id":
        return id;
      case "partition_key":
        return partitionKey(id);
      case "status":
        return statusIn(this.#words, status);
      case "created_at":
        return createdAtMs;
      case "target":
        return targetText(this.#summary);
      case "target_service_name":
        return service;
      case "target_handler_name":
        return handler;
      case "target_service_key":
        return key ?? null;
      case "scope":
        return scope ?? null;
      case "limit_key":
        return scope === undefined ? null : undefined;
      case "target_service_ty":
        return typeWord(this.#reading.serviceTypes.get(service) ?? (key === undefined ? "service" : "object"));
      case "pinned_deployment_id":
        if (deploymentId !== undefined) return deploymentId;
        if (isParked(this.#summary)) return null;
        return undefined;
      case "in_flight":
        return status === "running";
      default:
        return isEmptyIn(status, column) ? null : undefined;
    }
  }

  async #detail(column: string): Promise<CellValue | undefined> {
    this.#details ??= this.#read();
    const cells = await this.#details;
    this.#drop();
    return cells[column];
  }

  /** For a sole owner, reads are cheap and many rows may be in use, so a row forgets its loaded values after each cell. */
  #drop(): void {
    if (readsFreely(this.#reading.engine.settings)) this.release();
  }

  release(): void {
    this.#loaded = undefined;
    this.#details = undefined;
    this.#beside.clear();
  }

  async #read(): Promise<Cells> {
    const loaded = await this.#load();
    return loaded === undefined ? {} : invocationCells(this.#reading.engine, loaded, this.#reading.servers);
  }

  /** @returns undefined if the invocation has expired or was purged after the index was read */
  #load(): Promise<Loaded | undefined> {
    this.#loaded ??= this.#loadNow();
    return this.#loaded;
  }

  async #loadNow(): Promise<Loaded | undefined> {
    const { engine, budget, loads } = this.#reading;
    let loaded: Loaded | undefined = this.#summary.loaded;
    if (loaded === undefined) {
      budget.loads(1);
      loaded = await loads.take(() => loadHeads(engine, this.#summary.id, true));
    }
    return loaded === undefined || hasExpired(loaded, engine.clock.nowMs()) ? undefined : loaded;
  }

  async #oneBeside(column: Beside): Promise<CellValue | undefined> {
    const found = this.#beside.get(column) ?? this.#readBeside(column);
    this.#beside.set(column, found);
    const value = await found;
    this.#drop();
    return value;
  }

  /** One small read for each column. The budget counts the load of the row, so it bounds these reads as well. */
  async #readBeside(column: Beside): Promise<CellValue | undefined> {
    const { engine, loads } = this.#reading;
    const loaded = await this.#load();
    if (loaded === undefined) return undefined;
    if (column === "inboxed_at") {
      const queued = ticketOf(engine, loaded);
      if (queued === undefined) return undefined;
      return await loads.take(() => queuedAtMs(engine, queued));
    }
    const waits = await loads.take(() => ownWaits(engine, loaded));
    return waits.length === 0 ? undefined : waitsJson(waits);
  }
}

function isBeside(column: string): column is Beside {
  return (BESIDE as readonly string[]).includes(column);
}

/** True if the column has no value in this status. */
function isEmptyIn(status: Presented, column: string): boolean {
  if (OF_ATTEMPTS.has(column))
    return WITHOUT_ATTEMPTS.has(status) || (status === "suspended" && !OF_LAST_ATTEMPT.has(column));
  if (OF_ENDS.has(column)) return status !== "completed";
  if (OF_PAUSES.has(column)) return status !== "paused";
  return (column === "waits_for" && status === "completed") || (OF_SUSPENSIONS.test(column) && status !== "suspended");
}

/**
 * True if a missing deployment id in the summary means that the invocation has no pin. The index entry of a parked invocation
 * shows its pin, if it has one; the entry of a running one may be outdated.
 */
function isParked({ status, loaded, probed }: Summary): boolean {
  return loaded !== undefined || (probed !== true && status !== "running" && status !== "completed");
}

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
