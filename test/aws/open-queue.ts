/** Queues on the emulated SQS, one for each test. */
import { CreateQueueCommand, DeleteQueueCommand, type SQSClient } from "@aws-sdk/client-sqs";
import { sqsClient } from "../../shared/adapters/sqs/sqs-client.ts";
import { SqsQueue } from "../../shared/adapters/sqs/sqs-queue.ts";
import type { OpenQueue, QueueTiming } from "../contracts/queue-contract.ts";
import { RecordingLog } from "../recording-log.ts";
import { ACCOUNT, freshName, pause, serviceOptions, systemClock } from "./services.ts";

/** The service counts in whole seconds and is up to half a second late; the rest is a margin for a busy machine. */
export const SECONDS: QueueTiming = {
  visibilityMs: 4_000,
  delayMs: 4_000,
  marginMs: 2_000,
  lateMs: 700,
  waitMs: 2_000,
  sitsThroughTheLongestDelay: false,
};

export interface OpenSqsQueue extends OpenQueue {
  readonly client: SQSClient;
  readonly queueUrl: string;
  readonly queueArn: string;
  readonly log: RecordingLog;
}

export async function openQueue(): Promise<OpenSqsQueue> {
  const client = sqsClient(serviceOptions());
  const name = freshName("queue");
  const { QueueUrl: queueUrl } = await client.send(new CreateQueueCommand({ QueueName: name }));
  const log = new RecordingLog();
  const open = () => new SqsQueue({ client, queueUrl: queueUrl!, clock: systemClock, log });
  let queue = open();
  return {
    client,
    queueUrl: queueUrl!,
    queueArn: `arn:aws:sqs:us-east-1:${ACCOUNT}:${name}`,
    log,
    get queue() {
      return queue;
    },
    nowMs: () => systemClock.nowMs(),
    advance: pause,
    async reopen() {
      queue = open();
    },
    async close() {
      await client.send(new DeleteQueueCommand({ QueueUrl: queueUrl }));
      client.destroy();
    },
  };
}
