/** What the table of a stack holds of one invocation, as somebody sees who looks past the control plane. */
import { DynamoDBClient, QueryCommand } from "@aws-sdk/client-dynamodb";
import type { DeployedStack } from "./control-plane.ts";

const dynamodb = new DynamoDBClient({});

export interface StoredItem {
  readonly key: string;
  /** Of its record alone, without keys and marks. */
  readonly bytes: number;
}

/** In the order of their keys. */
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
