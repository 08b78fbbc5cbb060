/** The context that the tables of one statement share: the engine, the read budget, and facts of the registry. */
import type { Narrowing } from "../../core/query/narrowing.ts";
import type { CellValue } from "../../core/query/table-shape.ts";
import type { InvocationId } from "../../core/model/ids.ts";
import type { ServiceType, Target } from "../../core/model/target.ts";
import type { Turns } from "../bulkheads/at-most.ts";
import type { Engine } from "../engine.ts";
import type { ListingBudget } from "./listing-budget.ts";
import type { SqlRow } from "../ports/sql.ts";
import type { RegisteredTypes } from "./entry-json.ts";

export interface Reading extends RegisteredTypes {
  readonly engine: Engine;
  readonly budget: ListingBudget;
  /** Bounds how many loads run at a time, because the evaluator requests the cells of many rows at once. */
  readonly loads: Turns;
  readonly keyed: KeyedViews;
  /** The SDK that each deployment announced at its registration, by deployment. */
  readonly servers: ReadonlyMap<string, string>;
}

/** A key of an object, or a workflow id. */
export type KeyedTarget = Required<Pick<Target, "service" | "key">>;

export interface PromiseView {
  readonly name: string;
  readonly completed: boolean;
  readonly value?: Uint8Array;
  /** `[<code>] <message>` */
  readonly failure?: string;
}

export interface KeyQueue {
  readonly holder?: InvocationId;
  /** When the holder took the key. */
  readonly sinceMs: number;
  /** The waiting invocations, in the order in which they get the key. */
  readonly waiting: readonly { readonly id: InvocationId; readonly ticket: number }[];
}

/** Reads of the partition of one key. */
export interface KeyedViews {
  queue(pk: string): Promise<KeyQueue>;
  state(pk: string): Promise<ReadonlyMap<string, Uint8Array>>;
  promises(pk: string): Promise<readonly PromiseView[]>;
}

export type Cells = Readonly<Record<string, CellValue | undefined>>;

/** A row whose cells are all in memory. */
export function rowOf(cells: Cells): SqlRow {
  return { cell: (column) => cells[column] };
}

/** @param key undefined if it is unknown, because it is too long to be in the key of its partition */
export function keyCells(service: string, key: string | undefined): Cells {
  return { service_name: service, service_key: key, lock_name: key === undefined ? undefined : `${service}/${key}` };
}

/** @returns undefined if a statement does not name both service and key */
export function targetsIn(narrowing: Narrowing): readonly KeyedTarget[] | undefined {
  const services = narrowing.get("service_name")?.in;
  const keys = narrowing.get("service_key")?.in;
  if (services === undefined || keys === undefined) return undefined;
  return services.flatMap((service) => keys.map((key) => ({ service, key })));
}

export function typeWord(type: ServiceType): string {
  return type === "object" ? "virtual_object" : type;
}
