/** Implements the table port on DynamoDB. */
import { randomUUID } from "node:crypto";
import {
  BatchGetItemCommand,
  ConditionalCheckFailedException,
  DeleteItemCommand,
  GetItemCommand,
  PutItemCommand,
  QueryCommand,
  ScanCommand,
  TransactWriteItemsCommand,
  TransactionCanceledException,
  UpdateItemCommand,
  TransactionConflictException,
  type DynamoDBClient,
  type QueryCommandInput,
  type ConsumedCapacity,
} from "@aws-sdk/client-dynamodb";
import type { Clock } from "../../engine/ports/clock.ts";
import {
  KEYS_MAX,
  StoreError,
  type Condition,
  type IndexName,
  type Item,
  type Key,
  type Page,
  type PartitionPage,
  type Range,
  type Table,
  type Transacted,
  type Update,
  type Updated,
  type Write,
  type Written,
} from "../../engine/ports/table.ts";
import { itemOf } from "./attribute-values.ts";
import { indexStart, indexToken, isEmptyRange, queryInput, scanInput, scanToken } from "./query-inputs.ts";
import { INDEX_KEYS } from "./table-definition.ts";
import { deleteInput, keyAttributes, putInput, transactionPart, updateInput } from "./write-inputs.ts";

const TRANSACTION_MAX_WRITES = 100;
const WRITTEN: Written = { written: true };

export interface DynamoTableOptions {
  readonly client: DynamoDBClient;
  readonly tableName: string;
  readonly clock: Clock;
  /** Receives what each successful request consumed. */
  readonly onConsumed?: OnConsumed;
}

/**
 * The client resends a write whose answer was lost. If the first try took effect, the condition of the second try may fail.
 * A caller that must recognise this case writes a unique value and looks for it in `existing`.
 */
export class DynamoTable implements Table {
  readonly #client: DynamoDBClient;
  readonly #tableName: string;
  readonly #clock: Clock;
  readonly #onConsumed: OnConsumed | undefined;
  readonly #metering: { readonly ReturnConsumedCapacity?: "INDEXES" };

  constructor({ client, tableName, clock, onConsumed }: DynamoTableOptions) {
    this.#client = client;
    this.#tableName = tableName;
    this.#clock = clock;
    this.#onConsumed = onConsumed;
    this.#metering = onConsumed === undefined ? {} : { ReturnConsumedCapacity: "INDEXES" };
  }

  async get(key: Key): Promise<Item | undefined> {
    return await stored(this.#clock, async () => {
      const input = { TableName: this.#tableName, Key: keyAttributes(key), ConsistentRead: true, ...this.#metering };
      const { Item, ConsumedCapacity } = await this.#client.send(new GetItemCommand(input));
      this.#reportConsumed("get", [ConsumedCapacity]);
      return Item && itemOf(Item);
    });
  }

  async getMany(keys: readonly Key[]): Promise<readonly (Item | undefined)[]> {
    if (keys.length > KEYS_MAX) throw new StoreError(`${keys.length} keys are too many for one read`);
    if (keys.length === 0) return [];
    const found = new Map<string, Item>();
    let left = keys.map(keyAttributes);
    return await stored(this.#clock, async () => {
      await pastUnserved(this.#clock, async () => {
        const RequestItems = { [this.#tableName]: { Keys: left } };
        const answer = await this.#client.send(new BatchGetItemCommand({ RequestItems, ...this.#metering }));
        this.#reportConsumed("getMany", answer.ConsumedCapacity ?? []);
        for (const item of (answer.Responses?.[this.#tableName] ?? []).map(itemOf)) found.set(nameOf(item), item);
        left = (answer.UnprocessedKeys?.[this.#tableName]?.Keys ?? []) as typeof left;
        return left.length;
      });
      return keys.map((key) => found.get(nameOf(key)));
    });
  }

  async query(pk: string, range: Range = {}): Promise<Page> {
    if (isEmptyRange(range)) return { items: [] };
    return await stored(this.#clock, async () => {
      const start = range.after === undefined ? undefined : keyAttributes({ pk, sk: range.after });
      const input = { ...queryInput({ pk: "pk", sk: "sk" }, pk, range, start), ConsistentRead: true };
      const { items, last } = await this.#page("query", input);
      const next = last?.["sk"]?.S;
      return { items: items.filter(({ sk }) => sk !== range.below), ...(next !== undefined && { next }) };
    });
  }

  async queryIndex(index: IndexName, pk: string, range: Range = {}): Promise<Page> {
    if (isEmptyRange(range)) return { items: [] };
    return await stored(this.#clock, async () => {
      const start = range.after === undefined ? undefined : indexStart(index, pk, range.after);
      const input = { ...queryInput(INDEX_KEYS[index], pk, range, start), IndexName: index };
      const { items, last } = await this.#page("queryIndex", input);
      const inRange =
        range.below === undefined ? items : items.filter((item) => item[INDEX_KEYS[index].sk] !== range.below);
      return { items: inRange, ...(last !== undefined && { next: indexToken(index, last) }) };
    });
  }

  async partitions(prefix: string, after?: string): Promise<PartitionPage> {
    return await stored(this.#clock, async () => {
      const input = { TableName: this.#tableName, ...scanInput(prefix, after), ...this.#metering };
      const { Items, LastEvaluatedKey, ConsumedCapacity } = await this.#client.send(new ScanCommand(input));
      this.#reportConsumed("partitions", [ConsumedCapacity]);
      const pks = new Set((Items ?? []).flatMap(({ pk }) => pk?.S ?? []));
      return { pks: [...pks], ...(LastEvaluatedKey !== undefined && { next: scanToken(LastEvaluatedKey) }) };
    });
  }

  async put(item: Item, condition?: Condition): Promise<Written> {
    return await this.#writeOne(async () => {
      const input = { ...putInput(this.#tableName, item, condition), ...this.#metering };
      const { ConsumedCapacity } = await this.#client.send(new PutItemCommand(input));
      this.#reportConsumed("put", [ConsumedCapacity]);
    });
  }

  async update(key: Key, update: Update, condition?: Condition): Promise<Updated> {
    let item: Item = { ...key };
    const outcome = await this.#writeOne(async () => {
      const input = { ...updateInput(this.#tableName, key, update, condition), ...this.#metering };
      const { Attributes, ConsumedCapacity } = await this.#client.send(new UpdateItemCommand(input));
      if (Attributes !== undefined) item = itemOf(Attributes);
      this.#reportConsumed("update", [ConsumedCapacity]);
    });
    return outcome.written ? { written: true, item } : outcome;
  }

  async delete(key: Key, condition?: Condition): Promise<Written> {
    return await this.#writeOne(async () => {
      const input = { ...deleteInput(this.#tableName, key, condition), ...this.#metering };
      const { ConsumedCapacity } = await this.#client.send(new DeleteItemCommand(input));
      this.#reportConsumed("delete", [ConsumedCapacity]);
    });
  }

  async transact(writes: readonly Write[]): Promise<Transacted> {
    if (writes.length === 0 || writes.length > TRANSACTION_MAX_WRITES) {
      throw new StoreError(`a transaction has 1 to ${TRANSACTION_MAX_WRITES} writes, not ${writes.length}`);
    }
    // DynamoDB recognizes a repeated transaction by its token, so a retry after throttling keeps the token. With a new
    // token, the retry's conditions would fail if an earlier try had taken effect and its answer was lost.
    let token: string = randomUUID();
    return await stored(this.#clock, async () => {
      const TransactItems = writes.map((write) => transactionPart(this.#tableName, write));
      try {
        await pastConflicts(this.#clock, async () => {
          const command = new TransactWriteItemsCommand({
            TransactItems,
            ClientRequestToken: token,
            ...this.#metering,
          });
          try {
            this.#reportConsumed("transact", (await this.#client.send(command)).ConsumedCapacity ?? []);
          } catch (error) {
            // A cancelled transaction is final; a retry is a new transaction and needs a new token.
            if (error instanceof TransactionCanceledException) token = randomUUID();
            throw error;
          }
        });
        return { written: true };
      } catch (error) {
        const refused = refusedOf(error);
        if (refused === undefined) throw error;
        return { written: false, refused };
      }
    });
  }

  async #writeOne(send: () => Promise<void>): Promise<Written> {
    return await stored(this.#clock, async () => {
      try {
        await pastConflicts(this.#clock, send);
        return WRITTEN;
      } catch (error) {
        if (!(error instanceof ConditionalCheckFailedException)) throw error;
        return { written: false, existing: error.Item && itemOf(error.Item) };
      }
    });
  }

  async #page(operation: TableOperation, input: Omit<QueryCommandInput, "TableName">) {
    const command = new QueryCommand({ TableName: this.#tableName, ...input, ...this.#metering });
    const { Items, LastEvaluatedKey, ConsumedCapacity } = await this.#client.send(command);
    this.#reportConsumed(operation, [ConsumedCapacity]);
    return { items: (Items ?? []).map(itemOf), last: LastEvaluatedKey };
  }

  #reportConsumed(operation: TableOperation, consumed: Parameters<typeof consumedOf>[1]): void {
    this.#onConsumed?.(consumedOf(operation, consumed));
  }
}

/** @returns one flag per write, true if its condition failed; undefined if the transaction failed for another reason */
function refusedOf(error: unknown): boolean[] | undefined {
  if (!(error instanceof TransactionCanceledException)) return undefined;
  const refused = error.CancellationReasons?.map(({ Code }) => Code === "ConditionalCheckFailed");
  return refused?.includes(true) === true ? refused : undefined;
}

function nameOf({ pk, sk }: Key): string {
  return JSON.stringify([pk, sk]);
}

async function stored<T>(clock: Clock, work: () => Promise<T>): Promise<T> {
  try {
    return await pastThrottling(clock, work);
  } catch (cause) {
    if (cause instanceof StoreError) throw cause;
    const reason = cause instanceof Error ? `${cause.name}: ${cause.message}` : String(cause);
    const bottleneck = throttlingReasons(cause);
    const detailed = bottleneck === undefined ? reason : `${reason} (${bottleneck})`;
    const lasts = cause instanceof Error && /AccessDenied/.test(cause.name);
    throw new StoreError(`DynamoDB could not do what was asked: ${detailed}`, { cause, lasts });
  }
}

/** Retries requests that DynamoDB refuses because they conflict with a transaction over the same items. */
const PATIENCE: Patience = { tries: 8, firstWaitMs: 10, waitMaxMs: 500, passes: isConflict };

/** @throws the error of the last try */
export async function pastConflicts<T>(clock: Clock, attempt: () => Promise<T>): Promise<T> {
  return await tryAgain(clock, PATIENCE, attempt);
}

/** If a condition of a cancelled transaction failed, the refusal is final, even if another item was in conflict. */
function isConflict(error: unknown): boolean {
  if (error instanceof TransactionConflictException) return true;
  if (!(error instanceof TransactionCanceledException)) return false;
  const codes = error.CancellationReasons?.map(({ Code }) => Code) ?? [];
  return codes.includes("TransactionConflict") && !codes.includes("ConditionalCheckFailed");
}

/** The units that a request consumed in the table and in each index, for the code that counts capacity. */
type TableOperation =
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
type OnConsumed = (consumed: Consumed) => void;

function consumedOf(operation: TableOperation, answers: readonly (ConsumedCapacity | undefined)[]): Consumed {
  let tableUnits = 0;
  const indexUnits = { list: 0, open: 0 };
  for (const part of answers) {
    tableUnits += part?.Table?.CapacityUnits ?? 0;
    indexUnits.list += part?.GlobalSecondaryIndexes?.["list"]?.CapacityUnits ?? 0;
    indexUnits.open += part?.GlobalSecondaryIndexes?.["open"]?.CapacityUnits ?? 0;
  }
  return { operation, tableUnits, indexUnits };
}

/** Retries throttled requests beyond the client's own retries, and names the bottleneck. */
const NAMES: ReadonlySet<string> = new Set([
  "ProvisionedThroughputExceededException",
  "ThrottlingException",
  "RequestLimitExceeded",
]);

const THROTTLED_PATIENCE: Patience = { tries: 5, firstWaitMs: 200, waitMaxMs: 2_000, passes: isThrottling };

/** A throttled request had no effect, so even a throttled write can be sent again. @throws what the last try threw */
async function pastThrottling<T>(clock: Clock, attempt: () => Promise<T>): Promise<T> {
  return await tryAgain(clock, THROTTLED_PATIENCE, attempt);
}

/**
 * Repeats a batch until it is complete: DynamoDB serves only a part if throughput is short, or if the answer is too large.
 * @param attempt requests the remaining keys, and returns how many are still unserved
 * @throws what the last try threw, or ThrottlingException if several tries in a row serve no further key
 */
async function pastUnserved(clock: Clock, attempt: () => Promise<number>): Promise<void> {
  let before = Infinity;
  for (let isServed = false; !isServed;) {
    await tryAgain(clock, THROTTLED_PATIENCE, async () => {
      const left = await attempt();
      const isAdvancing = left < before;
      before = left;
      isServed = left === 0;
      if (isServed || isAdvancing) return;
      const error = new Error(`${left} keys of a batch were not served`);
      error.name = "ThrottlingException";
      throw error;
    });
  }
}

function isThrottling(error: unknown): boolean {
  return error instanceof Error && NAMES.has(error.name);
}

/**
 * @returns the bottleneck that DynamoDB names, such as `TableWriteKeyRangeThroughputExceeded` for one hot partition
 * or `IndexWriteAccountLimitExceeded`; undefined if it names none
 */
function throttlingReasons(error: unknown): string | undefined {
  if (typeof error !== "object" || error === null) return undefined;
  const reported = (error as { readonly throttlingReasons?: unknown }).throttlingReasons;
  const older = (error as { readonly ThrottlingReasons?: unknown }).ThrottlingReasons;
  const reasons = Array.isArray(reported) ? reported : Array.isArray(older) ? older : [];
  const texts = reasons.map((each: { readonly reason?: string; readonly resource?: string }) =>
    each.resource === undefined ? `${each.reason}` : `${each.reason} at ${each.resource}`,
  );
  return texts.length === 0 ? undefined : texts.join(", ");
}

/** Retries a request after transient refusals: a few times, after jittered waits that grow up to a maximum. */
interface Patience {
  readonly tries: number;
  readonly firstWaitMs: number;
  readonly waitMaxMs: number;
  /** True if the error is transient: the same request may succeed later. */
  readonly passes: (error: unknown) => boolean;
}

/** @throws what the last try threw */
async function tryAgain<T>(clock: Clock, patience: Patience, attempt: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await attempt();
    } catch (error) {
      if (tries === patience.tries || !patience.passes(error)) throw error;
    }
    const waitMs = Math.min(patience.firstWaitMs * 2 ** (tries - 1), patience.waitMaxMs);
    // Jitter spreads requests that were refused together.
    await clock.sleep(waitMs * (0.5 + Math.random() / 2));
  }
}
