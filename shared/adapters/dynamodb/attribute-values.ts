/** Converts items to DynamoDB attribute values and back. */
import type { AttributeValue } from "@aws-sdk/client-dynamodb";
import { StoreError, type Item, type ItemValue } from "../../engine/ports/table.ts";

const ITEM_MAX_BYTES = 400 * 1024;

/** @throws StoreError for a number that is not finite, or a value that is no scalar */
export function attributeValue(value: ItemValue): AttributeValue {
  switch (typeof value) {
    case "string":
      return { S: value };
    case "number":
      if (!Number.isFinite(value)) throw new StoreError(`${value} cannot be stored`);
      return { N: String(value) };
    case "boolean":
      return { BOOL: value };
    default:
      if (!(value instanceof Uint8Array)) {
        throw new StoreError("an attribute is neither text, number, boolean nor bytes");
      }
      // A copy: the client serializes the request after this call, and the caller may reuse the bytes.
      return { B: new Uint8Array(value) };
  }
}

/** @throws StoreError as `attributeValue` does, and for an item above 400 KB, which DynamoDB would refuse */
export function attributesOf(item: Item): Record<string, AttributeValue> {
  const attributes: Record<string, AttributeValue> = {};
  let bytes = 0;
  for (const name in item) {
    const value = item[name];
    if (value === undefined) continue;
    attributes[name] = attributeValue(value);
    bytes += Buffer.byteLength(name) + sizeOf(value);
  }
  if (bytes > ITEM_MAX_BYTES) throw new StoreError(`the item ${item.pk} ${item.sk} is larger than 400 KB`);
  return attributes;
}

/** The size in bytes as DynamoDB counts it. A number takes one byte for every two digits, and one more byte. */
function sizeOf(value: ItemValue): number {
  if (typeof value === "string") return Buffer.byteLength(value);
  if (typeof value === "number") return Math.min(Math.ceil(String(value).length / 2) + 1, 21);
  return typeof value === "boolean" ? 1 : value.length;
}

/** @throws StoreError for an item without a key, or with an attribute of a type that Stepwell never writes */
export function itemOf(attributes: Readonly<Record<string, AttributeValue>>): Item {
  const item: Record<string, ItemValue> = {};
  for (const name in attributes) item[name] = scalarOf(name, attributes[name]!);
  const { pk, sk } = item;
  if (typeof pk !== "string" || typeof sk !== "string") throw new StoreError("an item has no key of texts");
  return item as Item;
}

function scalarOf(name: string, value: AttributeValue): ItemValue {
  if (value.S !== undefined) return value.S;
  if (value.N !== undefined) return Number(value.N);
  if (value.BOOL !== undefined) return value.BOOL;
  if (value.B !== undefined) return value.B;
  throw new StoreError(`the attribute ${name} is of a type that is never written`);
}
