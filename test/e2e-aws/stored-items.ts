/** The items of one invocation, read from the table directly. */
import { DynamoDBClient, QueryCommand } from "@aws-sdk/client-dynamodb";
import type { DeployedStack } from "./control-plane.ts";

const dynamodb = new DynamoDBClient({});

export interface StoredItem {
  readonly key: string;
  /** The size of the record alone, without keys and other attributes. */
  readonly bytes: number;
}

/** @returns the items in the order of their keys */
export async function storedItems({ outputs }: DeployedStack, id: string): Promise<StoredItem[]> {
  const found: StoredItem[] = [];
  let from: Record<string, never> | undefined;
  do {
    const { Items = [], LastEvaluatedKey } = await dynamodb.send(
      new QueryCommand({
        TableName: outputs["TableName"]!,
        KeyConditionExpression: "pk = :pk",
        ExpressionAttributeValues: { ":pk": { S: `inv#${id}` } },
        ConsistentRead: true,
        ...(from && { ExclusiveStartKey: from }),
      }),
    );
    for (const item of Items) found.push({ key: item["sk"]!.S!, bytes: item["b"]?.B?.length ?? 0 });
    from = LastEvaluatedKey as Record<string, never> | undefined;
  } while (from !== undefined);
  return found;
}
