/** What a request consumed, by table and index, for whoever counts the budget. */
import type { ConsumedCapacity } from "@aws-sdk/client-dynamodb";
import type { IndexName } from "../../engine/ports/table.ts";

export type TableOperation = "get" | "getMany" | "query" | "queryIndex" | "put" | "update" | "delete" | "transact";

/** Capacity units: of reading for `get`, `getMany`, `query` and `queryIndex`, of writing for the others. */
export interface Consumed {
  readonly operation: TableOperation;
  /** Of the items themselves. */
  readonly tableUnits: number;
  readonly indexUnits: Readonly<Record<IndexName, number>>;
}

/** DynamoDB does not say what a refused write consumed, so those are not told of. */
export type OnConsumed = (consumed: Consumed) => void;

export function consumedOf(operation: TableOperation, told: readonly (ConsumedCapacity | undefined)[]): Consumed {
  let tableUnits = 0;
  const indexUnits = { list: 0, open: 0 };
  for (const part of told) {
    tableUnits += part?.Table?.CapacityUnits ?? 0;
    indexUnits.list += part?.GlobalSecondaryIndexes?.["list"]?.CapacityUnits ?? 0;
    indexUnits.open += part?.GlobalSecondaryIndexes?.["open"]?.CapacityUnits ?? 0;
  }
  return { operation, tableUnits, indexUnits };
}
