/** A deployment in memory: a scripted handler answers each attempt. Requests and answers are encoded as on the network. */
import {
  type Endpoints,
  type Exchange,
  type ExchangeHead,
  type ExchangeRequest,
  TransportError,
} from "../../../shared/engine/ports/endpoints.ts";
import { LiveInput } from "./live-input.ts";
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
  /** True if the exchange stays open for notifications. */
  readonly isOpen: boolean;
  /** True if the engine ended its side of an open exchange. */
  halfClosed: boolean;
  /** True if the engine aborted the exchange before its end. */
  aborted: boolean;
}

export class ScriptedDeployment implements Endpoints {
  /** All attempts, in order. */
  readonly attempts: ScriptedAttempt[] = [];
  readonly handlers: Record<string, Handler>;
  /** Is called before the handler. If it returns a reply, this reply replaces the handler's, as from an unhealthy deployment. */
  instead: ((attempt: ScriptedAttempt) => Reply | Promise<Reply> | undefined) | undefined;

  /** True if an answer waits for the end of its request, as behind an intermediary that buffers requests. */
  holdsBack = false;

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
    const attempt: ScriptedAttempt = {
      ...readJournal(request),
      destination: request.destination,
      isOpen: !request.halfClose,
      halfClosed: request.halfClose,
      aborted: false,
    };
    this.attempts.push(attempt);
    if (attempt.isOpen) return this.#openly(request, attempt);
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
        abort(new TransportError("aborted", "the exchange was aborted"));
      },
    };
  }

  /** The response comes as the handler runs, and its stream ends once the engine has ended its own side. */
  #openly(request: ExchangeRequest, attempt: ScriptedAttempt): Exchange {
    const chunks: (Uint8Array | undefined)[] = [];
    let abort: (error: Error) => void = () => {};
    const aborted = new Promise<never>((_, reject) => (abort = reject));
    aborted.catch(() => undefined);
    let failure: Error | undefined;
    let wake: (() => void) | undefined;
    const push = (chunk: Uint8Array | undefined): void => {
      chunks.push(chunk);
      wake?.();
    };
    const live = new LiveInput((frames) => push(new Uint8Array(Buffer.concat(frames))));
    let end = () => {};
    const ended = new Promise<void>((resolve) => (end = resolve));
    let answered: (reply: Reply) => void = () => {};
    const head = new Promise<Reply>((resolve) => (answered = resolve));
    const run = async (): Promise<void> => {
      if (this.holdsBack) await ended;
      const instead = await this.instead?.(attempt);
      const handler = this.handlers[attempt.handler];
      answered(instead ?? (handler === undefined ? { status: 404 } : {}));
      if (instead?.pieces !== undefined) for await (const piece of instead.pieces) push(piece);
      else if (instead !== undefined) push(instead.body);
      else if (handler !== undefined) {
        await answerOf(handler, attempt, live);
        await ended;
      }
      push(undefined);
    };
    run().catch((error: unknown) => {
      failure ??= error as Error;
      abort(failure);
      wake?.();
    });
    return {
      async head() {
        const { status = 200, headers } = await Promise.race([head, aborted]);
        const contentType = request.headers["content-type"]!;
        return { status, headers: headers ?? { "content-type": contentType }, httpVersion: "h2" };
      },
      async next() {
        while (chunks.length === 0) {
          if (failure !== undefined) throw failure;
          await new Promise<void>((resolve) => (wake = resolve));
        }
        return chunks.shift();
      },
      write: (bytes) => live.write(bytes),
      halfClose() {
        attempt.halfClosed = true;
        live.end();
        end();
      },
      abort() {
        attempt.aborted = true;
        failure ??= new TransportError("aborted", "the exchange was aborted");
        abort(failure);
        wake?.();
        live.end();
        end();
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
