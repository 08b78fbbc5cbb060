/** The context that the tables of one statement share: the engine, the read budget, and facts of the registry. */
import type { Narrowing } from "../../core/query/narrowing.ts";
import type { CellValue } from "../../core/query/table-shape.ts";
import type { InvocationId } from "../../core/model/ids.ts";
import { parseScope } from "../../core/model/scope.ts";
import type { KeyOwner, ServiceType, Target } from "../../core/model/target.ts";
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
export type KeyedTarget = KeyOwner & Required<Pick<Target, "key">>;

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

/** The cells of an owner; its key is undefined if it is unknown, because it is too long to be in the key of its partition. */
export function keyCells({ service, key, scope }: KeyOwner): Cells {
  const lockName = key === undefined ? undefined : `${service}/${key}`;
  return { scope, service_name: service, service_key: key, lock_name: lockName };
}

/** The keys that a statement names. */
export interface NamedKeys {
  readonly targets: readonly KeyedTarget[];
  /** True if the statement says nothing about the scope, so that the same keys in scopes match too. */
  readonly anyScope: boolean;
}

/** @returns undefined if a statement does not name both service and key */
export function keysIn(narrowing: Narrowing): NamedKeys | undefined {
  const services = narrowing.get("service_name")?.in;
  const keys = narrowing.get("service_key")?.in;
  if (services === undefined || keys === undefined) return undefined;
  const scope = narrowing.get("scope");
  const scopes = scope?.in?.map(parseScope).filter((one) => one !== undefined) ?? [undefined];
  const targets = services.flatMap((service) =>
    keys.flatMap((key) => scopes.map((one) => ({ service, key, ...(one !== undefined && { scope: one }) }))),
  );
  return { targets, anyScope: scope === undefined || (scope.in === undefined && scope.isAbsent !== true) };
}

export function typeWord(type: ServiceType): string {
  return type === "object" ? "virtual_object" : type;
}
