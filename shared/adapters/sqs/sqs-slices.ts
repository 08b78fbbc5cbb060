/** Sends slices of walks to the queue of wakes; by default their own message group gives them a fair share of the queue. */
import { SendMessageCommand, type SQSClient } from "@aws-sdk/client-sqs";
import type { SliceQueue } from "../../engine/ports/queue.ts";
import { storeFailure } from "./store-failure.ts";

const GROUP = "sweeper";

export interface SqsSlicesOptions {
  readonly client: SQSClient;
  readonly queueUrl: string;
  /** The same setting as for the queue's wakes. */
  readonly fairBy?: "service" | "none";
}

export class SqsSlices implements SliceQueue {
  readonly #client: SQSClient;
  readonly #queueUrl: string;
  readonly #group: { readonly MessageGroupId?: string };

  constructor({ client, queueUrl, fairBy = "service" }: SqsSlicesOptions) {
    this.#client = client;
    this.#queueUrl = queueUrl;
    this.#group = fairBy === "service" ? { MessageGroupId: GROUP } : {};
  }

  /** @throws StoreError */
  async send(name: string): Promise<void> {
    const input = { QueueUrl: this.#queueUrl, MessageBody: bodyOfSlice(name), ...this.#group };
    try {
      await this.#client.send(new SendMessageCommand(input));
    } catch (cause) {
      throw storeFailure("send a slice", cause);
    }
  }
}

/** The names of slices consist of words, numbers and ids. */
const NAME = /^[A-Za-z0-9#_!-]{1,200}$/;

export function bodyOfSlice(name: string): string {
  return JSON.stringify({ slice: name });
}

/** @returns undefined for any other body, because every sender with access to the queue can write any text */
export function sliceOfBody(body: string): string | undefined {
  if (!body.startsWith('{"slice":')) return undefined;
  try {
    const { slice } = JSON.parse(body) as { readonly slice?: unknown };
    return typeof slice === "string" && NAME.test(slice) ? slice : undefined;
  } catch {
    return undefined;
  }
}
