/** Builds the inputs of DynamoDB writes, alone or as parts of a transaction. */
import type { AttributeValue, TransactWriteItem } from "@aws-sdk/client-dynamodb";
import type { Condition, Item, Key, Update, Write } from "../../engine/ports/table.ts";
import { StoreError } from "../../engine/ports/table.ts";
import { attributesOf } from "./attribute-values.ts";
import { Placeholders, conditionText, updateText } from "./expression.ts";

interface Guard {
  readonly ConditionExpression?: string;
  readonly ReturnValuesOnConditionCheckFailure?: "ALL_OLD";
  readonly ExpressionAttributeNames?: Record<string, string>;
  readonly ExpressionAttributeValues?: Record<string, AttributeValue>;
}

interface PutInput extends Guard {
  readonly TableName: string;
  readonly Item: Record<string, AttributeValue>;
}

interface KeyedInput extends Guard {
  readonly TableName: string;
  readonly Key: Record<string, AttributeValue>;
}

interface UpdateInput extends KeyedInput {
  readonly UpdateExpression?: string;
  readonly ReturnValues?: "ALL_NEW";
}

/** @throws StoreError for an item that cannot be stored */
export function putInput(TableName: string, item: Item, condition: Condition | undefined): PutInput {
  return { TableName, Item: attributesOf(item), ...guardOf(condition, new Placeholders()) };
}

/** @throws StoreError if the update touches the key, touches one attribute twice, or sets a value that cannot be stored */
export function updateInput(
  TableName: string,
  key: Key,
  update: Update,
  condition: Condition | undefined,
): UpdateInput {
  const placeholders = new Placeholders();
  const text = updateText(update, placeholders);
  const guard = guardOf(condition, placeholders);
  return {
    TableName,
    Key: keyAttributes(key),
    ...(text !== undefined && { UpdateExpression: text }),
    ReturnValues: "ALL_NEW",
    ...guard,
  };
}

export function deleteInput(TableName: string, key: Key, condition: Condition | undefined): KeyedInput {
  return { TableName, Key: keyAttributes(key), ...guardOf(condition, new Placeholders()) };
}

/**
 * @throws StoreError as `putInput` and `updateInput` do, and for an update that changes nothing, which a transaction cannot
 * express
 */
export function transactionPart(TableName: string, write: Write): TransactWriteItem {
  const { condition } = write;
  if (write.kind === "put") return { Put: putInput(TableName, write.item, condition) };
  if (write.kind === "delete") return { Delete: deleteInput(TableName, write.key, condition) };
  const {
    UpdateExpression,
    ReturnValues: _whole,
    ...input
  } = updateInput(TableName, write.key, write.update, condition);
  if (UpdateExpression === undefined) throw new StoreError("an update in a transaction must change something");
  return { Update: { ...input, UpdateExpression } };
}

export function keyAttributes({ pk, sk }: Key): Record<string, AttributeValue> {
  return { pk: { S: pk }, sk: { S: sk } };
}

/** Call this last: the result contains the placeholders of the whole request. */
function guardOf(condition: Condition | undefined, placeholders: Placeholders): Guard {
  if (condition === undefined) return placeholders.parts();
  const ConditionExpression = conditionText(condition, placeholders);
  return { ConditionExpression, ReturnValuesOnConditionCheckFailure: "ALL_OLD", ...placeholders.parts() };
}
