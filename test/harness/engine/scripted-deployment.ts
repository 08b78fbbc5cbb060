/** A deployment in memory: a scripted handler answers each attempt, over the bytes of the protocol. */
import {
  type Endpoints,
  type Exchange,
  type ExchangeHead,
  type ExchangeRequest,
  TransportError,
} from "../../../shared/engine/ports/endpoints.ts";
import { answerOf, type Handler } from "./script-context.ts";
import { readJournal, type ScriptJournal } from "./script-journal.ts";

export interface Reply {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Uint8Array;
  /** Replaces `body` by chunks that come one after the other, as a transport may split a response. */
  readonly pieces?: AsyncGenerator<Uint8Array, undefined>;
}

export interface ScriptedAttempt extends ScriptJournal {
  readonly destination: ExchangeRequest["destination"];
  /** True if the engine aborted the exchange before its end. */
  aborted: boolean;
}

export class ScriptedDeployment implements Endpoints {
  /** All attempts, in order. */
  readonly attempts: ScriptedAttempt[] = [];
  readonly handlers: Record<string, Handler>;
  /** Is called before the handler. A reply that it returns replaces that of the handler, as from an unhealthy deployment. */
  instead: ((attempt: ScriptedAttempt) => Reply | Promise<Reply> | undefined) | undefined;

  /** Is called when an exchange is opened. If it throws, the opening fails. */
  refusing: (() => void) | undefined;

  constructor(handlers: Record<string, Handler>) {
    this.handlers = handlers;
  }

  /** @returns the attempts on one handler */
  of(handler: string): ScriptedAttempt[] {
    return this.attempts.filter((attempt) => attempt.handler === handler);
  }

  open(request: ExchangeRequest): Exchange {
    this.refusing?.();
    const attempt: ScriptedAttempt = { ...readJournal(request), destination: request.destination, aborted: false };
    this.attempts.push(attempt);
    let abort: (error: Error) => void = () => {};
    const aborted = new Promise<never>((_, reject) => {
      abort = reject;
    });
    const reply = Promise.race([this.#reply(attempt), aborted]);
    reply.catch(() => undefined);
    let body: Uint8Array | undefined;
    let pieces: Reply["pieces"];
    return {
      async head(): Promise<ExchangeHead> {
        const { status = 200, headers, ...rest } = await reply;
        ({ body, pieces } = rest);
        const contentType = request.headers["content-type"]!;
        return { status, headers: headers ?? { "content-type": contentType }, httpVersion: "h2" };
      },
      async next() {
        await reply;
        if (pieces !== undefined) return (await Promise.race([pieces.next(), aborted])).value;
        const chunk = body;
        body = undefined;
        return chunk;
      },
      write() {},
      halfClose() {},
      abort() {
        attempt.aborted = true;
        abort(new TransportError("aborted", "the exchange was let go of"));
      },
    };
  }

  async #reply(attempt: ScriptedAttempt): Promise<Reply> {
    const instead = await this.instead?.(attempt);
    if (instead !== undefined) return instead;
    const handler = this.handlers[attempt.handler];
    return handler === undefined ? { status: 404 } : { body: await answerOf(handler, attempt) };
  }
}
