/** Room for what one attempt has sent and the store has not yet: the reader waits for it, and so does the deployment. */
import type { Conversation } from "../../core/protocol/conversation.ts";
import type { Account, Budget } from "../bulkheads/budget.ts";

/** Replies up to this size are not counted, so that plain calls pay nothing. */
const UNCOUNTED_BYTES = 16 * 1024;
/** What an element takes in memory, beside its bytes: a header, the name of a state, a future of a suspension. */
const ELEMENT_BYTES = 200;

/** The budget has no room in time: the attempt fails by no fault of the deployment, and is made again. */
export class NoRoomError extends Error {
  override name = "NoRoomError";
}

export class ReplyRoom {
  readonly #budget: Budget;
  readonly lane: string;
  #account: Account | undefined;
  #received = 0;
  #isClosed = false;

  /** @param lane the deployment, which shares the room with others */
  constructor(budget: Budget, lane: string) {
    this.#budget = budget;
    this.lane = lane;
  }

  /**
   * Counts a chunk that was received.
   * @returns undefined where nothing is to be waited for. @throws NoRoomError, by the promise, once the patience is over
   */
  add(chunkBytes: number, { elements }: Pick<Conversation, "elements">): undefined | Promise<void> {
    this.#received += chunkBytes;
    const sizeBytes = this.#received + elements * ELEMENT_BYTES;
    if (sizeBytes <= UNCOUNTED_BYTES || this.#isClosed) return undefined;
    this.#account ??= this.#budget.open(this.lane);
    const grown = this.#account.grow(sizeBytes - this.#account.held);
    return grown === true ? undefined : granted(grown, this.#budget);
  }

  /** Once the reply is stored, or thrown away. */
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
