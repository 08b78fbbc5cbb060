/** The attempt that one driver makes now. `attempt/` and the loop of the driver own it; the watch and a stop abort it. */
import type { TraceContext } from "../../core/model/trace-context.ts";
import type { ReplyRoom } from "./reply-room.ts";

/** Why a driver aborts an exchange. */
export type LetGo = "abort-timeout" | "lost" | "stopping";

export interface OpenExchange {
  readonly startedAtMs: number;
  readonly abortTimeoutMs: number;
  /** When the last bytes came that count as progress; the start until then. */
  heardAtMs: number;
  silent: boolean;
  /** The attempt has been open for so long that its handler has a long note. */
  long?: true;
  /** The reader waits for room and the deployment for the reader, so this server causes the silence. */
  waitsForRoom?: true;
  letGo?: LetGo;
  abort(): void;
}

export class OpenAttempt {
  #exchange: OpenExchange | undefined;
  #room: ReplyRoom | undefined;
  #span: TraceContext | undefined;
  #mayProbe: boolean;

  /** @param mayProbe an open circuit allows the first attempt of this driver */
  constructor(mayProbe = false) {
    this.#mayProbe = mayProbe;
  }

  /** The exchange with the deployment, while it is open. */
  get exchange(): OpenExchange | undefined {
    return this.#exchange;
  }

  /** The span of the attempt, if traces are on. */
  get span(): TraceContext | undefined {
    return this.#span;
  }

  /** @returns whether an open circuit allows this attempt; false from the next call on */
  takeProbe(): boolean {
    const mayProbe = this.#mayProbe;
    this.#mayProbe = false;
    return mayProbe;
  }

  /** @param room the reply's part of the budget of replies, until `leaveRoom` */
  begin(exchange: OpenExchange, room: ReplyRoom): void {
    this.#exchange = exchange;
    this.#room = room;
  }

  endExchange(): void {
    this.#exchange = undefined;
  }

  /** Frees the memory of the reply once the reply is stored or dropped. */
  leaveRoom(): void {
    this.#room?.close();
    this.#room = undefined;
  }

  beginSpan(span: TraceContext): void {
    this.#span = span;
  }

  endSpan(): void {
    this.#span = undefined;
  }

  /** Aborts the exchange, if one is open, and records the reason for the driver. */
  letGo(why: LetGo): void {
    if (this.#exchange === undefined || this.#exchange.letGo !== undefined) return;
    this.#exchange.letGo = why;
    this.#exchange.abort();
  }
}
