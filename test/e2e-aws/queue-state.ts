/** The queues of a stack, as an operator sees and changes them. */
import {
  GetQueueAttributesCommand,
  PurgeQueueCommand,
  SendMessageCommand,
  SetQueueAttributesCommand,
  SQSClient,
} from "@aws-sdk/client-sqs";
import { bodyOfWake } from "../../shared/engine/ports/wake-body.ts";
import type { InvocationId } from "../../shared/core/model/ids.ts";
import { type DeployedStack, until } from "./control-plane.ts";

const sqs = new SQSClient({});

/** @returns the number of visible dead letters, which the alarm measures */
export async function visibleLetters({ outputs }: DeployedStack): Promise<number> {
  const QueueUrl = outputs["DeadLetterQueueUrl"]!;
  const AttributeNames = ["ApproximateNumberOfMessages" as const];
  const { Attributes } = await sqs.send(new GetQueueAttributesCommand({ QueueUrl, AttributeNames }));
  return Number(Attributes?.ApproximateNumberOfMessages);
}

/** Waits until the main queue has no message: neither visible, nor received, nor delayed. */
export async function untilDrained({ outputs }: DeployedStack): Promise<void> {
  const QueueUrl = outputs["QueueUrl"]!;
  const AttributeNames = [
    "ApproximateNumberOfMessages" as const,
    "ApproximateNumberOfMessagesNotVisible" as const,
    "ApproximateNumberOfMessagesDelayed" as const,
  ];
  await until("the queue has no message", async () => {
    const { Attributes = {} } = await sqs.send(new GetQueueAttributesCommand({ QueueUrl, AttributeNames }));
    return AttributeNames.every((name) => Number(Attributes[name]) === 0) || undefined;
  });
}

export async function throwLettersAway({ outputs }: DeployedStack): Promise<void> {
  await sqs.send(new PurgeQueueCommand({ QueueUrl: outputs["DeadLetterQueueUrl"]! }));
}

/** @returns the id of the message */
export async function sendText({ outputs }: DeployedStack, text: string): Promise<string> {
  const sent = await sqs.send(new SendMessageCommand({ QueueUrl: outputs["QueueUrl"]!, MessageBody: text }));
  return sent.MessageId!;
}

export async function sendWakeOf(stack: DeployedStack, id: string): Promise<void> {
  await sendText(stack, bodyOfWake({ invocationId: id as InvocationId, sentAtMs: Date.now(), delayMs: 0 }));
}

/**
 * Lowers the receive count after which a message becomes a dead letter. With the count of the stack, a message that fails
 * becomes a dead letter only after about half an hour.
 * @returns a function that restores the count
 */
export async function letterAfter({ outputs }: DeployedStack, receives: number): Promise<() => Promise<void>> {
  const lanes = [outputs["QueueUrl"]!, outputs["SlowQueueUrl"]!];
  const undone = await Promise.all(lanes.map((QueueUrl) => letterOfQueueAfter(QueueUrl, receives)));
  return async () => void (await Promise.all(undone.map((undo) => undo())));
}

async function letterOfQueueAfter(QueueUrl: string, receives: number): Promise<() => Promise<void>> {
  const AttributeNames = ["RedrivePolicy" as const];
  const { Attributes } = await sqs.send(new GetQueueAttributesCommand({ QueueUrl, AttributeNames }));
  const asDeployed = Attributes!.RedrivePolicy!;
  const set = async (RedrivePolicy: string) => {
    await sqs.send(new SetQueueAttributesCommand({ QueueUrl, Attributes: { RedrivePolicy } }));
  };
  await set(JSON.stringify({ ...(JSON.parse(asDeployed) as object), maxReceiveCount: receives }));
  return () => set(asDeployed);
}
