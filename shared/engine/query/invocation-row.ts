/** One invocation as a row. Some cells come from the indexes. The others are loaded when a statement reads them. */
import { statusIn, type StatusWords } from "../../core/query/status-words.ts";
import type { CellValue } from "../../core/query/table-shape.ts";
import { INVOCATION_STATE } from "../../core/query/table-shapes.ts";
import { targetText } from "../../core/model/target.ts";
import { invocationCells, partitionKey } from "./invocation-cells.ts";
import { hasExpired, load, type Loaded } from "../store/load.ts";
import type { Summary } from "./open-listing.ts";
import type { SqlRow } from "../ports/sql.ts";
import { type Cells, type Reading, typeWord } from "./reading.ts";

/** Columns that have values only while an invocation makes attempts or waits for the next one. */
const OF_ATTEMPTS = new Set(INVOCATION_STATE.columns.map(({ name }) => name).filter((name) => name !== "id"));
const WITHOUT_ATTEMPTS = new Set(["completed", "scheduled", "pending", "suspended"]);

export class InvocationRow implements SqlRow {
  readonly #reading: Reading;
  readonly #summary: Summary;
  readonly #words: StatusWords;
  #details: Promise<Cells> | undefined;

  constructor(reading: Reading, summary: Summary, words: StatusWords) {
    this.#reading = reading;
    this.#summary = summary;
    this.#words = words;
  }

  cell(column: string): CellValue | undefined | Promise<CellValue | undefined> {
    const shown = this.atHand(column);
    return shown === undefined ? this.#detail(column) : shown;
  }

  atHand(column: string): CellValue | undefined {
    const { id, service, handler, key, status, createdAtMs, deploymentId } = this.#summary;
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
        return targetText({ service, handler, ...(key !== undefined && { key }) });
      case "target_service_name":
        return service;
      case "target_handler_name":
        return handler;
      case "target_service_key":
        return key ?? null;
      case "target_service_ty":
        return typeWord(this.#reading.serviceTypes.get(service) ?? (key === undefined ? "service" : "object"));
      case "pinned_deployment_id":
        if (deploymentId !== undefined) return deploymentId;
        if (isParked(this.#summary)) return null;
        return undefined;
      case "in_flight":
        return status === "running";
      default:
        return OF_ATTEMPTS.has(column) && WITHOUT_ATTEMPTS.has(status) ? null : undefined;
    }
  }

  async #detail(column: string): Promise<CellValue | undefined> {
    this.#details ??= this.#read();
    return (await this.#details)[column];
  }

  async #read(): Promise<Cells> {
    const { engine, budget, loads } = this.#reading;
    let loaded: Loaded | undefined = this.#summary.loaded;
    if (loaded === undefined) {
      budget.loads(1);
      loaded = await loads.take(() => load(engine, this.#summary.id));
    }
    // The invocation has expired or was purged after the index was read.
    if (loaded === undefined || hasExpired(loaded, engine.clock.nowMs())) return {};
    return invocationCells(engine, loaded);
  }
}

/** True if the summary shows the pin. The index entry of a parked invocation does; that of a running one may be outdated. */
function isParked({ status, loaded, glanced }: Summary): boolean {
  return loaded !== undefined || (glanced !== true && status !== "running" && status !== "completed");
}
