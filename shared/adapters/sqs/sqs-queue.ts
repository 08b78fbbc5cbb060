/** Implements the queue port on a standard queue of SQS, which delivers messages at least once and in no order. */
import {
  ChangeMessageVisibilityBatchCommand,
  DeleteMessageBatchCommand,
  ReceiveMessageCommand,
  SendMessageBatchCommand,
  type Message,
  type SQSClient,
} from "@aws-sdk/client-sqs";
import type { Clock } from "../../engine/ports/clock.ts";
import type { Log } from "../../engine/ports/log.ts";
import {
  QUEUE_DELAY_MAX_MS,
  type Delivery,
  type Queue,
  type MessageHandle,
  type Wake,
} from "../../engine/ports/queue.ts";
import { StoreError } from "../../engine/ports/table.ts";
import { bodyOfWake } from "../../engine/ports/wake-body.ts";
import { readMessages, type ReceivedMessage, type UnreadableMessage } from "./received-message.ts";
import { storeFailure } from "./store-failure.ts";
import { createHash } from "node:crypto";

const RECEIVE_MAX_MESSAGES = 10;
const POLL_MAX_S = 20;
/** A poll times out this long after the end of its wait. */
const POLL_GRACE_MS = 5_000;
const VISIBILITY_MAX_S = 43_200;

export interface SqsQueueOptions {
  readonly client: SQSClient;
  readonly queueUrl: string;
  readonly clock: Clock;
  /** Receives an entry for each discarded message. */
  readonly log: Log;
  /** "service" makes each service a message group, so that SQS serves the groups fairly, for a surcharge. Default "service". */
  readonly fairBy?: "service" | "none";
}

interface Visibility {
  readonly receipt: string;
  readonly seconds: number;
}

/** Rounds delays and visibilities up to whole seconds, the unit of SQS. Every failure is a StoreError. */
export class SqsQueue implements Queue {
  readonly #client: SQSClient;
  readonly #queueUrl: string;
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #sends: BatchCalls<Wake, MessageHandle>;
  readonly #acks: BatchCalls<string, true>;
  readonly #extensions: BatchCalls<Visibility, true>;

  constructor({ client, queueUrl, clock, log, fairBy = "service" }: SqsQueueOptions) {
    this.#client = client;
    this.#queueUrl = queueUrl;
    this.#clock = clock;
    this.#log = log;
    const isFair = fairBy === "service";
    this.#sends = new BatchCalls("send messages", clock, async (numbered) => {
      const Entries = numbered.map(({ Id, entry }) => ({
        Id,
        MessageBody: bodyOfWake(entry),
        DelaySeconds: secondsOf(entry.delayMs),
        ...(isFair && entry.service !== undefined && { MessageGroupId: messageGroup(entry.service) }),
      }));
      const answer = await client.send(new SendMessageBatchCommand({ QueueUrl: queueUrl, Entries }));
      return answerOf(answer, ({ MessageId }) => MessageId ?? "");
    });
    this.#acks = new BatchCalls("delete messages", clock, async (numbered) => {
      const Entries = numbered.map(({ Id, entry }) => ({ Id, ReceiptHandle: entry }));
      return answerOf(await client.send(new DeleteMessageBatchCommand({ QueueUrl: queueUrl, Entries })), () => true);
    });
    this.#extensions = new BatchCalls("extend messages", clock, async (numbered) => {
      const Entries = numbered.map(({ Id, entry: { receipt, seconds } }) => ({
        Id,
        ReceiptHandle: receipt,
        VisibilityTimeout: seconds,
      }));
      const command = new ChangeMessageVisibilityBatchCommand({ QueueUrl: queueUrl, Entries });
      return answerOf(await client.send(command), () => true);
    });
  }

  async send(wake: Wake): Promise<MessageHandle> {
    if (!(wake.delayMs >= 0 && wake.delayMs <= QUEUE_DELAY_MAX_MS)) {
      throw new StoreError(`a message can be delayed by 0 to ${QUEUE_DELAY_MAX_MS} ms, not by ${wake.delayMs}`);
    }
    const served = await this.#sends.call(wake);
    if ("done" in served) return served.done;
    throw new StoreError(`SQS refused a message: ${served.refused.Code}: ${served.refused.Message}`);
  }

  /** Has no effect: SQS deletes a message only by the receipt of its receiver. So the message still comes, as a hint. */
  async recall(): Promise<void> {}

  async receive(
    limit: number,
    visibilityMs: number,
    waitMs: number,
    signal?: AbortSignal,
  ): Promise<readonly Delivery[]> {
    const untilMs = this.#clock.nowMs() + waitMs;
    for (;;) {
      const leftMs = Math.max(0, untilMs - this.#clock.nowMs());
      const waitS = Math.min(POLL_MAX_S, Math.floor(leftMs / 1000));
      const messages = await this.#poll(limit, Math.max(1, visibilitySeconds(visibilityMs)), waitS, signal);
      const { deliveries, slices, schedules, unreadable } = readMessages(messages);
      // Only a worker function does slices, which it gets in its event. A message with a slice is deleted here, and the
      // sweeper resends a slice that is not done. So it does with the wake of a schedule.
      await Promise.all([...slices, ...schedules].map(({ receipt }) => this.ack(receipt).catch(() => undefined)));
      await Promise.all(unreadable.map((message) => this.#drop(message)));
      if (deliveries.length > 0 || isAborted(signal)) return deliveries;
      if (waitS === 0 || this.#clock.nowMs() >= untilMs) return deliveries;
    }
  }

  /** Has no effect on a message that was deleted or delivered again. */
  async extend(receipt: string, visibilityMs: number): Promise<void> {
    await this.#extensions.call({ receipt, seconds: visibilitySeconds(visibilityMs) });
  }

  async ack(receipt: string): Promise<void> {
    await this.#acks.call(receipt);
  }

  async #poll(limit: number, visibilityS: number, waitS: number, signal?: AbortSignal): Promise<ReceivedMessage[]> {
    if (isAborted(signal)) return [];
    const command = new ReceiveMessageCommand({
      QueueUrl: this.#queueUrl,
      MaxNumberOfMessages: Math.min(limit, RECEIVE_MAX_MESSAGES),
      VisibilityTimeout: visibilityS,
      WaitTimeSeconds: waitS,
      MessageSystemAttributeNames: ["ApproximateReceiveCount", "SentTimestamp"],
    });
    const requestTimeout = waitS * 1000 + POLL_GRACE_MS;
    try {
      const { Messages } = await this.#client.send(command, { requestTimeout, ...(signal && { abortSignal: signal }) });
      return (Messages ?? []).map(messageOf);
    } catch (cause) {
      // An aborted poll returns nothing. If SQS delivered messages to this poll, they come again after their visibility timeout.
      if (isAborted(signal)) return [];
      throw storeFailure("receive messages", cause);
    }
  }

  async #drop({ messageId, receipt, reason }: UnreadableMessage): Promise<void> {
    this.#log.write("message.discarded", { messageId, reason });
    await this.ack(receipt).catch((error: unknown) =>
      this.#log.write("message.deletion-failed", { messageId, error: String(error) }),
    );
  }
}

function isAborted(signal: AbortSignal | undefined): boolean {
  return signal?.aborted === true;
}

function secondsOf(ms: number): number {
  return Math.ceil(ms / 1000);
}

function visibilitySeconds(ms: number): number {
  return Math.min(VISIBILITY_MAX_S, Math.max(0, secondsOf(ms)));
}

function messageOf({ MessageId, ReceiptHandle, Body, Attributes }: Message): ReceivedMessage {
  return {
    messageId: MessageId ?? "",
    receipt: ReceiptHandle ?? "",
    body: Body ?? "",
    receiveCount: Attributes?.ApproximateReceiveCount,
    sentTimestamp: Attributes?.SentTimestamp,
  };
}

interface ServiceAnswer<Successful> {
  readonly Successful?: readonly (Successful & { readonly Id: string | undefined })[] | undefined;
  readonly Failed?: readonly FailedEntry[] | undefined;
}

function answerOf<Successful, Done>(
  { Successful, Failed }: ServiceAnswer<Successful>,
  doneOf: (successful: Successful) => Done,
): BatchAnswer<Done> {
  return { done: new Map(Successful?.map((one) => [one.Id ?? "", doneOf(one)])), failed: Failed ?? [] };
}

/** Letters, digits and punctuation of ASCII. */
const TAKEN = /^[!-~]{1,128}$/;

/** A name that SQS refuses is hashed: only a distinct group for each service matters. */
export function messageGroup(service: string): string {
  return TAKEN.test(service) ? service : createHash("sha256").update(service).digest("base64url");
}

/** Gathers the calls of one turn of the event loop into batches of ten, and retries entries that a batch did not serve. */
const BATCH_MAX_ENTRIES = 10;
const TRIES = 5;
const FIRST_WAIT_MS = 50;

interface NumberedEntry<Entry> {
  /** Identifies the entry within its batch. */
  readonly Id: string;
  readonly entry: Entry;
}

interface FailedEntry {
  readonly Id: string | undefined;
  readonly SenderFault: boolean | undefined;
  readonly Code: string | undefined;
  readonly Message?: string | undefined;
}

/** The results by entry Id; an entry without a result counts as failed. */
interface BatchAnswer<Done> {
  readonly done: ReadonlyMap<string, Done>;
  readonly failed: readonly FailedEntry[];
}

type Served<Done> = { readonly done: Done } | { readonly refused: FailedEntry };

interface Call<Entry, Done> {
  readonly entry: Entry;
  readonly resolve: (served: Served<Done>) => void;
  readonly reject: (error: StoreError) => void;
}

class BatchCalls<Entry, Done> {
  readonly #what: string;
  readonly #clock: Clock;
  readonly #request: (entries: readonly NumberedEntry<Entry>[]) => Promise<BatchAnswer<Done>>;
  #gathered: Call<Entry, Done>[] = [];

  /**
   * @param what the operation, for error messages
   * @param request sends at most ten entries to the service in one request
   */
  constructor(
    what: string,
    clock: Clock,
    request: (entries: readonly NumberedEntry<Entry>[]) => Promise<BatchAnswer<Done>>,
  ) {
    this.#what = what;
    this.#clock = clock;
    this.#request = request;
  }

  /**
   * Resolves with `refused` if the service blames the entry, because a retry would not help.
   * @throws StoreError if the service did not serve the entry after several tries
   */
  call(entry: Entry): Promise<Served<Done>> {
    return new Promise((resolve, reject) => {
      this.#gathered.push({ entry, resolve, reject });
      if (this.#gathered.length === 1) setImmediate(() => this.#flush());
    });
  }

  #flush(): void {
    const calls = this.#gathered;
    this.#gathered = [];
    for (let from = 0; from < calls.length; from += BATCH_MAX_ENTRIES) {
      const batch = calls.slice(from, from + BATCH_MAX_ENTRIES);
      this.#serve(batch).catch((cause: unknown) => {
        const error = storeFailure(this.#what, cause);
        // The calls of served entries have settled already; a rejection does not change them.
        for (const { reject } of batch) reject(error);
      });
    }
  }

  async #serve(batch: readonly Call<Entry, Done>[]): Promise<void> {
    let open = new Map(batch.map((call, index) => [String(index), call]));
    for (let tries = 1; ; tries++) {
      const { done, failed } = await this.#request([...open].map(([Id, { entry }]) => ({ Id, entry })));
      for (const [id, value] of done) open.get(id)?.resolve({ done: value });
      for (const one of failed) if (one.SenderFault === true) open.get(one.Id ?? "")?.resolve({ refused: one });
      const blamed = new Set(failed.filter((one) => one.SenderFault === true).map(({ Id }) => Id));
      open = new Map([...open].filter(([id]) => !done.has(id) && !blamed.has(id)));
      if (open.size === 0) return;
      if (tries === TRIES) throw new Error(`${open.size} entries of a batch failed, the last with ${wordsOf(failed)}`);
      // Jitter spreads batches that failed together.
      await this.#clock.sleep(FIRST_WAIT_MS * 2 ** (tries - 1) * (0.5 + Math.random() / 2));
    }
  }
}

function wordsOf(failed: readonly FailedEntry[]): string {
  const last = failed.findLast((one) => one.SenderFault !== true);
  return last === undefined ? "no answer" : `${last.Code ?? "no code"}: ${last.Message ?? "no message"}`;
}
