/**
 * Room for the reply of one attempt until the reply is stored: the reader waits for room, and flow control stops the
 * deployment.
 */
import type { Conversation } from "../../core/protocol/conversation.ts";
import { type Account, type Budget, UNCOUNTED_BYTES } from "../bulkheads/budget.ts";

/**
 * The memory that an element takes in addition to its bytes. Elements are headers, state names and the futures of a
 * suspension.
 */
const ELEMENT_BYTES = 200;

/**
 * The memory that a message takes in addition to its bytes until its effects are performed: entry, effect and id of a command. A
 * measurement with attempts of a thousand sends showed 2.2 KB for each send.
 */
const MESSAGE_BYTES = 2_000;
/** Most attempts have few messages, which need no account. */
const MESSAGES_UNCOUNTED = 32;

/**
 * The reader of an open exchange reads no further while more than this many bytes wait for the store. Larger segments would not
 * be stored faster, and the budget has room for many such exchanges.
 */
const UNSTORED_MAX_BYTES = 2 * 1024 * 1024;

/** The budget had no room in time: the attempt fails without a fault of the deployment, and is repeated. */
export class NoRoomError extends Error {
  override name = "NoRoomError";
}

export class ReplyRoom {
  readonly #budget: Budget;
  readonly lane: string;
  #account: Account | undefined;
  #received = 0;
  #elements = 0;
  #messages = 0;
  #messagesStored = 0;
  #answers = 0;
  #isClosed = false;
  #readOn: (() => void) | undefined;

  /** @param lane the deployment, which shares the budget with other deployments */
  constructor(budget: Budget, lane: string) {
    this.#budget = budget;
    this.lane = lane;
  }

  /**
   * Counts a received chunk.
   * @returns undefined if there is room at once; else a promise, which rejects with NoRoomError if no room comes in time
   */
  add(
    chunkBytes: number,
    { elements, messages }: Pick<Conversation, "elements" | "messages">,
  ): undefined | Promise<void> {
    this.#elements = elements;
    this.#messages = messages;
    return this.#grow(chunkBytes);
  }

  /** The bytes of the reply, and of the answers to its reads, that are not stored. */
  get sizeBytes(): number {
    return this.#received;
  }

  /** Counts the answer to a read of state or of a promise like a received chunk: the answer becomes a part of the segment. */
  addAnswer(answerBytes: number): undefined | Promise<void> {
    this.#answers += answerBytes;
    return this.#grow(answerBytes);
  }

  /** True while the reader of an open exchange waits for the driver to store what it has received. */
  get isFull(): boolean {
    return this.#readOn !== undefined;
  }

  /**
   * Called by the reader of an open exchange after each chunk.
   * @returns undefined if the reader may read on at once; else a promise, which resolves at `letReadOn`
   */
  untilStored(): undefined | Promise<void> {
    if (this.#received <= UNSTORED_MAX_BYTES || this.#isClosed) return undefined;
    return new Promise((resolve) => (this.#readOn = resolve));
  }

  /** Called when the driver has stored what it could, and when the exchange stays open no longer. */
  letReadOn(): void {
    this.#readOn?.();
    this.#readOn = undefined;
  }

  #grow(bytes: number): undefined | Promise<void> {
    this.#received += bytes;
    const messages = Math.max(0, this.#messages - this.#messagesStored - MESSAGES_UNCOUNTED);
    const sizeBytes = this.#received + this.#elements * ELEMENT_BYTES + messages * MESSAGE_BYTES;
    if (sizeBytes <= UNCOUNTED_BYTES || this.#isClosed) return undefined;
    this.#account ??= this.#budget.open(this.lane);
    const moreBytes = sizeBytes - this.#account.held;
    if (moreBytes <= 0) return undefined;
    const grown = this.#account.grow(moreBytes);
    return grown === true ? undefined : granted(grown, this.#budget);
  }

  /** Gives back the room of what a segment has just stored: the oldest `receivedBytes` bytes of the reply, and all answers. */
  noteStored(receivedBytes: number): void {
    this.#received -= receivedBytes + this.#answers;
    this.#answers = 0;
    this.#messagesStored = this.#messages;
    const overBytes = (this.#account?.held ?? 0) - this.#received;
    if (overBytes > 0) this.#account?.shrink(overBytes);
    this.letReadOn();
  }

  /** Gives the room back once the reply is stored or dropped. */
  close(): void {
    this.#isClosed = true;
    this.#account?.close();
    this.letReadOn();
  }
}

async function granted(grown: Promise<boolean>, { capacity }: Budget): Promise<void> {
  if (await grown) return;
  throw new NoRoomError(
    `this server found no room for the reply: replies that it has yet to store hold their share of ${capacity} bytes (worker.invoker.replies-size-limit)`,
  );
}
