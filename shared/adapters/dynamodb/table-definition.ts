/** Defines the table in DynamoDB: keys, indexes and the expiry attribute. */
import type { CreateTableCommandInput, GlobalSecondaryIndex } from "@aws-sdk/client-dynamodb";
import type { IndexName } from "../../engine/ports/table.ts";

export const INDEX_NAMES: readonly IndexName[] = ["list", "open"];

/** The attribute on which DynamoDB's time to live must be enabled. */
export const EXPIRY_ATTRIBUTE = "expiresAtS";

export interface IndexKeyNames {
  readonly pk: string;
  readonly sk: string;
}

export const INDEX_KEYS: Readonly<Record<IndexName, IndexKeyNames>> = {
  list: { pk: "listPk", sk: "listSk" },
  open: { pk: "openPk", sk: "openSk" },
};

/**
 * The input of `CreateTable`.
 * @param projected the attributes that each index contains beside the keys; DynamoDB bills index entries by the KB
 */
export function tableDefinition(
  tableName: string,
  projected: Readonly<Record<IndexName, readonly string[]>>,
): CreateTableCommandInput {
  const keyNames = ["pk", "sk", ...INDEX_NAMES.flatMap((index) => [INDEX_KEYS[index].pk, INDEX_KEYS[index].sk])];
  return {
    TableName: tableName,
    BillingMode: "PAY_PER_REQUEST",
    AttributeDefinitions: keyNames.map((name) => ({ AttributeName: name, AttributeType: "S" })),
    KeySchema: keySchema({ pk: "pk", sk: "sk" }),
    GlobalSecondaryIndexes: INDEX_NAMES.map((index) => indexDefinition(index, projected[index])),
  };
}

function indexDefinition(index: IndexName, projected: readonly string[]): GlobalSecondaryIndex {
  return {
    IndexName: index,
    KeySchema: keySchema(INDEX_KEYS[index]),
    Projection:
      projected.length === 0
        ? { ProjectionType: "KEYS_ONLY" }
        : { ProjectionType: "INCLUDE", NonKeyAttributes: [...projected] },
  };
}

function keySchema({ pk, sk }: IndexKeyNames): CreateTableCommandInput["KeySchema"] {
  return [
    { AttributeName: pk, KeyType: "HASH" },
    { AttributeName: sk, KeyType: "RANGE" },
  ];
}
