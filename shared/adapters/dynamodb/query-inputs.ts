/** Converts ranges to DynamoDB's key conditions, and DynamoDB's page positions to the tokens of the table port. */
import type { AttributeValue, QueryCommandInput, ScanCommandInput } from "@aws-sdk/client-dynamodb";
import { StoreError, type IndexName, type Range } from "../../engine/ports/table.ts";
import { keyAttributes } from "./write-inputs.ts";
import { INDEX_KEYS, type IndexKeyNames } from "./table-definition.ts";

type Attributes = Readonly<Record<string, AttributeValue>>;

/** True if no key can lie within the bounds; DynamoDB answers such bounds, and empty texts, with an error. */
export function isEmptyRange({ from, below }: Range): boolean {
  if (below === undefined) return false;
  return below === "" || (from !== undefined && Buffer.compare(Buffer.from(from), Buffer.from(below)) >= 0);
}

/**
 * The request without table, index and consistency. A range with both bounds becomes a BETWEEN, the only key condition with two
 * bounds. BETWEEN includes its upper bound, so the caller drops an item whose key equals `below`.
 */
export function queryInput(
  keys: IndexKeyNames,
  pk: string,
  range: Range,
  start: Attributes | undefined,
): Pick<
  QueryCommandInput,
  | "KeyConditionExpression"
  | "ExpressionAttributeNames"
  | "ExpressionAttributeValues"
  | "Limit"
  | "ScanIndexForward"
  | "ExclusiveStartKey"
> {
  if (range.limit !== undefined && !(range.limit >= 1)) {
    throw new StoreError(`a page has at least one item, not ${range.limit}`);
  }
  const { text, values } = sortKeyCondition(range);
  return {
    KeyConditionExpression: text === "" ? "#pk = :pk" : `#pk = :pk AND ${text}`,
    ExpressionAttributeNames: { "#pk": keys.pk, ...(text !== "" && { "#sk": keys.sk }) },
    ExpressionAttributeValues: { ":pk": { S: pk }, ...values },
    ScanIndexForward: range.reverse !== true,
    ...(range.limit !== undefined && { Limit: Math.floor(range.limit) }),
    ...(start !== undefined && { ExclusiveStartKey: { ...start } }),
  };
}

function sortKeyCondition(range: Range): { text: string; values: Record<string, AttributeValue> } {
  const { below } = range;
  const from = range.from === "" ? undefined : range.from;
  if (from !== undefined && below !== undefined) {
    return { text: "#sk BETWEEN :from AND :below", values: { ":from": { S: from }, ":below": { S: below } } };
  }
  if (from !== undefined) return { text: "#sk >= :from", values: { ":from": { S: from } } };
  if (below !== undefined) return { text: "#sk < :below", values: { ":below": { S: below } } };
  return { text: "", values: {} };
}

/** The request, without the table's name, for the keys of all partitions whose keys begin with the prefix. */
export function scanInput(
  prefix: string,
  after: string | undefined,
): Pick<
  ScanCommandInput,
  | "FilterExpression"
  | "ProjectionExpression"
  | "ExpressionAttributeNames"
  | "ExpressionAttributeValues"
  | "ExclusiveStartKey"
> {
  return {
    FilterExpression: "begins_with(#pk, :prefix)",
    ProjectionExpression: "#pk",
    ExpressionAttributeNames: { "#pk": "pk" },
    ExpressionAttributeValues: { ":prefix": { S: prefix } },
    ...(after !== undefined && { ExclusiveStartKey: scanStart(after) }),
  };
}

/** Encodes the last key of a page of partitions as the token of the next page. */
export function scanToken(last: Attributes): string {
  return JSON.stringify([last["pk"]?.S, last["sk"]?.S]);
}

function scanStart(token: string): Record<string, AttributeValue> {
  const parts = partsOf(token, 2);
  if (parts === undefined) throw new StoreError("the position to continue from is not the end of a page of partitions");
  const [pk, sk] = parts as [string, string];
  return { ...keyAttributes({ pk, sk }) };
}

/** @returns undefined for a text that is no list of `count` texts */
function partsOf(token: string, count: number): readonly string[] | undefined {
  try {
    const parts: unknown = JSON.parse(token);
    const isList = Array.isArray(parts) && parts.length === count;
    return isList && parts.every((part) => typeof part === "string") ? parts : undefined;
  } catch {
    return undefined;
  }
}

/** Encodes the last key of an index page as the token of the next page. */
export function indexToken(index: IndexName, last: Attributes): string {
  return JSON.stringify([last[INDEX_KEYS[index].sk]?.S, last["pk"]?.S, last["sk"]?.S]);
}

/** @throws StoreError for a text that `indexToken` did not produce */
export function indexStart(index: IndexName, indexPk: string, token: string): Attributes {
  const keys = INDEX_KEYS[index];
  const parts = partsOf(token, 3);
  if (parts === undefined) throw new StoreError("the position to continue from is not the end of a page of this index");
  const [indexSk, pk, sk] = parts as [string, string, string];
  return { [keys.pk]: { S: indexPk }, [keys.sk]: { S: indexSk }, ...keyAttributes({ pk, sk }) };
}
