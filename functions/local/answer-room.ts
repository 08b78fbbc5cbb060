/**
 * Bounds the memory of unread answers: an answer without room waits for room. If its request can be repeated without
 * effect, the waiting answer is dropped, and the repeated request produces it again.
 */
import type { HttpRequest, HttpResponse } from "../../shared/api/http/message.ts";
import { type Account, UNCOUNTED_BYTES } from "../../shared/engine/bulkheads/budget.ts";
import type { Incoming, TransferRoom } from "./transfer-room.ts";

export interface AnswerRules {
  /** The promise never rejects. */
  readonly answer: (request: HttpRequest) => Promise<HttpResponse>;
  /**
   * @returns a request without effect that has the same answer; undefined if there is none, and then the waiting answer
   * stays in memory
   */
  readonly again?: (request: HttpRequest, response: HttpResponse) => HttpRequest | undefined;
  /** Refuses an answer for which no room became free. */
  readonly noRoom: (request: HttpRequest, response: HttpResponse) => HttpResponse;
}

export interface Admitted {
  readonly response: HttpResponse;
  /** Gives the room of the answer back; present if the answer takes room. */
  readonly release?: () => void;
}

interface Held {
  readonly account: Account;
  readers: number;
}

interface Waiting {
  readonly account: Account;
  readonly grown: Promise<boolean>;
  readonly refusal: HttpResponse;
}

export class AnswerRoom {
  readonly #room: TransferRoom;
  readonly #rules: AnswerRules;
  /** Answers that share a buffer are counted once, on the connection of the first. */
  readonly #held = new Map<ArrayBufferLike, Held>();

  constructor(room: TransferRoom, rules: AnswerRules) {
    this.#room = room;
    this.#rules = rules;
  }

  /** Neither async nor with closures: an async frame or a closure's scope would keep a dropped answer in memory. */
  admit(incoming: Incoming, request: HttpRequest, response: HttpResponse): Admitted | Promise<Admitted> {
    const { buffer, length } = response.body;
    // Only a few pieces of an answer with `rest` are in memory, and only a few such answers are made at a time.
    const isSmall = length <= UNCOUNTED_BYTES || response.rest !== undefined;
    if (isSmall || request.method === "HEAD") return { response };
    const held = this.#held.get(buffer);
    if (held !== undefined) return this.#shared(buffer, held, response);
    const account = this.#room.open(incoming);
    const grown = this.#room.fill(account, buffer.byteLength);
    if (grown === true) return this.#hold(account, response);
    closeWhenGone(account, request.signal);
    const waiting = { account, grown, refusal: this.#rules.noRoom(request, response) };
    const again = this.#rules.again?.(request, response);
    if (again === undefined) return this.#keep(waiting, response);
    return this.#askAgain(waiting, again, response.status);
  }

  #keep(waiting: Waiting, response: HttpResponse): Promise<Admitted> {
    return this.#whenRoom(waiting, async () => response);
  }

  #askAgain(waiting: Waiting, again: HttpRequest, status: number): Promise<Admitted> {
    return this.#whenRoom(waiting, async () => {
      const anew = await this.#rules.answer(again);
      return anew.status === status ? anew : waiting.refusal;
    });
  }

  async #whenRoom({ account, grown, refusal }: Waiting, answer: () => Promise<HttpResponse>): Promise<Admitted> {
    if (!(await grown)) {
      account.close();
      return { response: refusal };
    }
    const response = await answer();
    const { buffer, length } = response.body;
    const held = this.#held.get(buffer);
    if (held !== undefined || length <= UNCOUNTED_BYTES) {
      account.close();
      return held === undefined ? { response } : this.#shared(buffer, held, response);
    }
    if (buffer.byteLength > account.held && !(await this.#room.fill(account, buffer.byteLength))) {
      account.close();
      return { response: refusal };
    }
    account.shrink(account.held - buffer.byteLength);
    return this.#hold(account, response);
  }

  #hold(account: Account, response: HttpResponse): Admitted {
    const { buffer } = response.body;
    const held = { account, readers: 0 };
    this.#held.set(buffer, held);
    return this.#shared(buffer, held, response);
  }

  #shared(buffer: ArrayBufferLike, held: Held, response: HttpResponse): Admitted {
    held.readers += 1;
    const release = (): void => {
      held.readers -= 1;
      if (held.readers > 0) return;
      this.#held.delete(buffer);
      held.account.close();
    };
    return { response, release };
  }
}

function closeWhenGone(account: Account, signal: AbortSignal | undefined): void {
  signal?.addEventListener("abort", () => account.close(), { once: true });
}
