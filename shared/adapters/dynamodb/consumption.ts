/** The units that a request consumed in the table and in each index, for the code that counts capacity. */
import type { ConsumedCapacity } from "@aws-sdk/client-dynamodb";
import type { IndexName } from "../../engine/ports/table.ts";

export type TableOperation =
  | "get"
  | "getMany"
  | "query"
  | "queryIndex"
  | "partitions"
  | "put"
  | "update"
  | "delete"
  | "transact";

/** Capacity units: read units for `get`, `getMany`, `query`, `queryIndex` and `partitions`, write units for the others. */
export interface Consumed {
  readonly operation: TableOperation;
  /** Units of the table itself, without its indexes. */
  readonly tableUnits: number;
  readonly indexUnits: Readonly<Record<IndexName, number>>;
}

/** Called for successful requests only: DynamoDB does not report what a refused write consumed. */
export type OnConsumed = (consumed: Consumed) => void;

export function consumedOf(operation: TableOperation, answers: readonly (ConsumedCapacity | undefined)[]): Consumed {
  let tableUnits = 0;
  const indexUnits = { list: 0, open: 0 };
  for (const part of answers) {
    tableUnits += part?.Table?.CapacityUnits ?? 0;
    indexUnits.list += part?.GlobalSecondaryIndexes?.["list"]?.CapacityUnits ?? 0;
    indexUnits.open += part?.GlobalSecondaryIndexes?.["open"]?.CapacityUnits ?? 0;
  }
  return { operation, tableUnits, indexUnits };
}
