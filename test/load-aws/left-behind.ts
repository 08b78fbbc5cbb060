/** The state after a run: all accepted invocations, open ones, messages, schedules. */
import { DynamoDBClient, QueryCommand, type AttributeValue } from "@aws-sdk/client-dynamodb";
import { INDEX_SHARDS_MAX, listingPk, openPk } from "../../shared/engine/store/item-keys.ts";
import { aws } from "../e2e-aws/control-plane.ts";
import { schedules } from "../e2e-aws/hints.ts";

const dynamodb = new DynamoDBClient({});
const DAY_MS = 86_400_000;

export interface Message {
  readonly Body: string;
  readonly VisibleAt: number;
  readonly ReceiveCount: number;
}

export interface LeftBehind {
  readonly open: readonly string[];
  /** Messages that can be received, now or after a delay. */
  readonly waiting: readonly Message[];
  /** Messages that a killed worker had received, hidden until the timeout of its function. */
  readonly hidden: readonly Message[];
  readonly dead: readonly Message[];
  readonly schedules: readonly string[];
}

export async function leftBehind(): Promise<LeftBehind> {
  const { outputs } = aws.plain;
  const lanes = await Promise.all([outputs["QueueUrl"]!, outputs["SlowQueueUrl"]!].map(messagesIn));
  const messages = lanes.flat();
  return {
    open: await idsIn("open", "openPk", (shard) => [openPk("", shard)]),
    waiting: messages.filter(({ ReceiveCount }) => ReceiveCount === 0),
    hidden: messages.filter(({ ReceiveCount }) => ReceiveCount > 0),
    dead: await messagesIn(outputs["DeadLetterQueueUrl"]!),
    schedules: await schedules(aws.plain),
  };
}

/** Ids of all accepted invocations. */
export async function accepted(sinceMs: number): Promise<string[]> {
  const days: number[] = [];
  for (let atMs = sinceMs; atMs < Date.now() + DAY_MS; atMs += DAY_MS) days.push(atMs);
  return await idsIn("list", "listPk", (shard) => days.map((atMs) => listingPk("", atMs, shard)));
}

async function idsIn(index: string, key: string, pksOf: (shard: number) => readonly string[]): Promise<string[]> {
  const ids: string[] = [];
  for (let shard = 0; shard < INDEX_SHARDS_MAX; shard++) {
    for (const pk of pksOf(shard)) ids.push(...(await idsOf(index, key, pk)));
  }
  return ids;
}

async function idsOf(IndexName: string, key: string, pk: string): Promise<string[]> {
  const ids: string[] = [];
  let from: Record<string, AttributeValue> | undefined;
  do {
    const { Items = [], LastEvaluatedKey } = await dynamodb.send(
      new QueryCommand({
        TableName: aws.plain.outputs["TableName"]!,
        IndexName,
        KeyConditionExpression: "#pk = :pk",
        ExpressionAttributeNames: { "#pk": key },
        ExpressionAttributeValues: { ":pk": { S: pk } },
        ...(from && { ExclusiveStartKey: from }),
      }),
    );
    for (const item of Items) ids.push(item["pk"]!.S!.slice("inv#".length));
    from = LastEvaluatedKey;
  } while (from !== undefined);
  return ids;
}

/** Reads the messages as the emulator shows them, without receiving any. */
async function messagesIn(queueUrl: string): Promise<Message[]> {
  const answer = await fetch(`${aws.endpoint}/_ministack/sqs/messages?QueueUrl=${encodeURIComponent(queueUrl)}`);
  const { messages } = (await answer.json()) as { messages: Record<string, Record<string, Record<string, Message[]>>> };
  return Object.values(messages).flatMap((regions) =>
    Object.values(regions).flatMap((queues) => Object.values(queues).flat()),
  );
}
