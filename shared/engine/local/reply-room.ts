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

/** The budget had no room in time: the attempt fails without a fault of the deployment, and is repeated. */
export class NoRoomError extends Error {
  override name = "NoRoomError";
}

export class ReplyRoom {
  readonly #budget: Budget;
  readonly lane: string;
  #account: Account | undefined;
  #received = 0;
  #isClosed = false;

  /** @param lane the deployment, which shares the room with other deployments */
  constructor(budget: Budget, lane: string) {
    this.#budget = budget;
    this.lane = lane;
  }

  /**
   * Counts a received chunk.
   * @returns undefined if there is room at once; else a promise, which rejects with NoRoomError if no room comes in time
   */
  add(chunkBytes: number, { elements }: Pick<Conversation, "elements">): undefined | Promise<void> {
    this.#received += chunkBytes;
    const sizeBytes = this.#received + elements * ELEMENT_BYTES;
    if (sizeBytes <= UNCOUNTED_BYTES || this.#isClosed) return undefined;
    this.#account ??= this.#budget.open(this.lane);
    const moreBytes = sizeBytes - this.#account.held;
    if (moreBytes <= 0) return undefined;
    const grown = this.#account.grow(moreBytes);
    return grown === true ? undefined : granted(grown, this.#budget);
  }

  /** The bytes that were received and are not stored. */
  get receivedBytes(): number {
    return this.#received;
  }

  /** Gives back the room of the first bytes, which are stored now. */
  noteStored(bytes: number): void {
    this.#received -= bytes;
    const overBytes = (this.#account?.held ?? 0) - this.#received;
    if (overBytes > 0) this.#account?.shrink(overBytes);
  }

  /** Gives the room back once the reply is stored or dropped. */
  close(): void {
    this.#isClosed = true;
    this.#account?.close();
  }
}

async function granted(grown: Promise<boolean>, { capacity }: Budget): Promise<void> {
  if (await grown) return;
  throw new NoRoomError(
    `this server found no room for the reply: replies that it has yet to store hold their share of ${capacity} bytes (worker.invoker.replies-size-limit)`,
  );
}
