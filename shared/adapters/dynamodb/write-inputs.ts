/** Builds the inputs of DynamoDB writes, alone or as parts of a transaction. */
import type { AttributeValue, TransactWriteItem } from "@aws-sdk/client-dynamodb";
import {
  StoreError,
  type Condition,
  type Item,
  type Key,
  type Update,
  type Write,
  type ItemValue,
} from "../../engine/ports/table.ts";
import { attributesOf, attributeValue } from "./attribute-values.ts";

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

/** Collects the placeholders of one request. */
export class Placeholders {
  readonly #names = new Map<string, string>();
  readonly #values: Record<string, AttributeValue> = {};
  #valueCount = 0;

  name(attribute: string): string {
    let placeholder = this.#names.get(attribute);
    if (placeholder === undefined) this.#names.set(attribute, (placeholder = `#${this.#names.size}`));
    return placeholder;
  }

  value(value: ItemValue): string {
    const placeholder = `:${this.#valueCount++}`;
    this.#values[placeholder] = attributeValue(value);
    return placeholder;
  }

  /** The parts of a request; empty parts are absent because DynamoDB refuses them. */
  parts(): {
    ExpressionAttributeNames?: Record<string, string>;
    ExpressionAttributeValues?: Record<string, AttributeValue>;
  } {
    return {
      ...(this.#names.size > 0 && {
        ExpressionAttributeNames: Object.fromEntries(
          [...this.#names].map(([name, placeholder]) => [placeholder, name]),
        ),
      }),
      ...(this.#valueCount > 0 && { ExpressionAttributeValues: this.#values }),
    };
  }
}

export function conditionText(condition: Condition, placeholders: Placeholders): string {
  switch (condition.kind) {
    case "absent":
      return `attribute_not_exists(${placeholders.name("pk")})`;
    case "present":
      return `attribute_exists(${placeholders.name("pk")})`;
    case "equal":
      return `${placeholders.name(condition.attribute)} = ${placeholders.value(condition.value)}`;
    case "less":
      return `${placeholders.name(condition.attribute)} < ${placeholders.value(condition.than)}`;
    case "all":
      return joined(condition.of, " AND ", placeholders);
    case "any":
      return joined(condition.of, " OR ", placeholders);
  }
}

/** An empty "all" is always true, and an empty "any" is always false; the language can express neither directly. */
function joined(parts: readonly Condition[], operator: " AND " | " OR ", placeholders: Placeholders): string {
  const [only] = parts;
  if (only === undefined) {
    const pk = placeholders.name("pk");
    const opposite = operator === " AND " ? " OR " : " AND ";
    return `attribute_exists(${pk})${opposite}attribute_not_exists(${pk})`;
  }
  if (parts.length === 1) return conditionText(only, placeholders);
  return parts.map((part) => operand(part, placeholders)).join(operator);
}

/** DynamoDB refuses redundant parentheses, so only operands with several parts get them. */
function operand(part: Condition, placeholders: Placeholders): string {
  if (part.kind !== "all" && part.kind !== "any") return conditionText(part, placeholders);
  const [only] = part.of;
  if (only !== undefined && part.of.length === 1) return operand(only, placeholders);
  return `(${conditionText(part, placeholders)})`;
}

/**
 * @returns undefined if the update changes nothing
 * @throws StoreError if the update touches the key, touches one attribute twice, or sets a value that cannot be stored
 */
export function updateText(update: Update, placeholders: Placeholders): string | undefined {
  const touched = new Set(["pk", "sk"]);
  const name = (attribute: string): string => {
    if (touched.has(attribute)) {
      throw new StoreError(`an update may touch ${attribute} only once and never the key`);
    }
    touched.add(attribute);
    return placeholders.name(attribute);
  };
  const set = Object.entries(update.set ?? {}).map(([of, value]) => `${name(of)} = ${placeholders.value(value)}`);
  const remove = (update.remove ?? []).map(name);
  const add = Object.entries(update.add ?? {}).map(([of, amount]) => `${name(of)} ${placeholders.value(amount)}`);
  const clauses = [clause("SET", set), clause("REMOVE", remove), clause("ADD", add)];
  const text = clauses.filter((part) => part !== "").join(" ");
  return text === "" ? undefined : text;
}

function clause(verb: string, parts: readonly string[]): string {
  return parts.length === 0 ? "" : `${verb} ${parts.join(", ")}`;
}
