/** The attempt that one driver makes now. `attempt/` and `drive/` change it; the lease watch and a stop can abort it. */
import type { Await } from "../../core/model/await-tree.ts";
import type { DeploymentId } from "../../core/model/ids.ts";
import type { TraceContext } from "../../core/model/trace-context.ts";
import type { ReplyRoom } from "./reply-room.ts";
import type { Received } from "../../core/protocol/received.ts";
import type { SpanEvent } from "../ports/tracer.ts";

/** Why a driver aborts an exchange. */
export type LetGo = "abort-timeout" | "deadline" | "lost" | "stopping";

export interface OpenExchange {
  startedAtMs: number;
  readonly deploymentId: DeploymentId;
  readonly abortTimeoutMs: number;
  /** The moment of the last bytes that count as progress; before any came, the moment of the start. */
  heardAtMs: number;
  silent: boolean;
  /** When the head of the answer came. */
  headAtMs?: number;
  /** True once the attempt has been open for so long that its handler has a long note. */
  long?: true;
  /** True while the reading of the reply waits for room. Then this server causes the silence, not the deployment. */
  waitsForRoom?: true;
  letGo?: LetGo;
  /** Ends this server's side, so that the handler suspends at its next await. Undefined once the side has ended. */
  halfClose?: (() => void) | undefined;
  /** True if the exchange holds a slot of a worker. */
  readonly holdsSlot: boolean;
  /** True until the request is on its way: the deployment may have no free stream. */
  isUnsent(): boolean;
  /** When this server ended its side; absent before that, and for an exchange whose whole request was sent at once. */
  halfClosedAtMs?: number;
  /** True while an open exchange has nothing to store and nothing to send. */
  waits?: boolean;
  /** The await that the handler reported last. Handlers report awaits from protocol V7 on. */
  awaiting?: () => Await | undefined;
  /** The names of the runs that the handler executes, and that no segment has yet. */
  runs(): readonly string[];
  /** When the exchange was half-closed because its process stops. */
  leavesSinceMs?: number;
  abort(): void;
}

export class OpenAttempt {
  #exchange: OpenExchange | undefined;
  #room: ReplyRoom | undefined;
  #span: TraceContext | undefined;
  #events: SpanEvents | undefined;
  #turnSinceMs = 0;
  #mayProbe: boolean;

  /** @param mayProbe true if the first attempt of this driver may probe an open circuit */
  constructor(mayProbe = false) {
    this.#mayProbe = mayProbe;
  }

  /** The exchange with the deployment, while it is open. */
  get exchange(): OpenExchange | undefined {
    return this.#exchange;
  }

  /** The deployment of the open exchange. */
  get deploymentId(): DeploymentId | undefined {
    return this.#exchange?.deploymentId;
  }

  /** The span of the attempt, if traces are on. */
  get span(): TraceContext | undefined {
    return this.#span;
  }

  /** @returns true if this attempt may probe an open circuit; false from the next call on */
  takeProbe(): boolean {
    const mayProbe = this.#mayProbe;
    this.#mayProbe = false;
    return mayProbe;
  }

  /** @param room the reply's part of the budget of replies; `leaveRoom` frees it */
  begin(exchange: OpenExchange, room: ReplyRoom): void {
    this.#exchange = exchange;
    this.#room = room;
    this.#turnSinceMs = exchange.startedAtMs;
  }

  /**
   * The moment since which this server waits for the deployment: the start of the attempt, its last segment, or the last
   * notification to the deployment. So an exchange that stays open for many quick steps does not count as slow. The moment is
   * kept after the end of the exchange.
   */
  get turnSinceMs(): number {
    return this.#turnSinceMs;
  }

  noteTurn(nowMs: number): void {
    this.#turnSinceMs = nowMs;
  }

  /** Moves the moments of the open exchange after the clock was set. @param moved the moment by the clock of now */
  follow(moved: (atMs: number) => number): void {
    const exchange = this.#exchange;
    this.#turnSinceMs = moved(this.#turnSinceMs);
    if (exchange === undefined) return;
    exchange.startedAtMs = moved(exchange.startedAtMs);
    exchange.heardAtMs = moved(exchange.heardAtMs);
    if (exchange.headAtMs !== undefined) exchange.headAtMs = moved(exchange.headAtMs);
    if (exchange.halfClosedAtMs !== undefined) exchange.halfClosedAtMs = moved(exchange.halfClosedAtMs);
    if (exchange.leavesSinceMs !== undefined) exchange.leavesSinceMs = moved(exchange.leavesSinceMs);
  }

  endExchange(): void {
    this.#exchange = undefined;
  }

  /** The reply's part of the budget, until the reply is stored or dropped. */
  get room(): ReplyRoom | undefined {
    return this.#room;
  }

  /** Frees the memory of the reply once the reply is stored or dropped. */
  leaveRoom(): void {
    this.#room?.close();
    this.#room = undefined;
  }

  beginSpan(span: TraceContext): void {
    this.#span = span;
    this.#events = span.sampled ? new SpanEvents() : undefined;
  }

  /** The events of the span; undefined if the span is not recorded. */
  get events(): SpanEvents | undefined {
    return this.#events;
  }

  endSpan(): void {
    this.#span = undefined;
    this.#events = undefined;
  }

  /**
   * Half-closes the exchange if it only waits, so that the handler suspends and its invocation is parked with its await. The
   * watch aborts an exchange that does not end soon.
   * @returns false if the exchange does not wait
   */
  leave(nowMs: number): boolean {
    const exchange = this.#exchange;
    if (exchange?.waits !== true || exchange.halfClose === undefined) return false;
    exchange.leavesSinceMs = nowMs;
    exchange.halfClose();
    return true;
  }

  /** Half-closes the exchange, if it is open on this side: the handler suspends at its next await. */
  halfClose(): void {
    this.#exchange?.halfClose?.();
  }

  /** Aborts the exchange, if one is open, and records the reason for the driver. */
  letGo(why: LetGo): void {
    if (this.#exchange === undefined || this.#exchange.letGo !== undefined) return;
    this.#exchange.letGo = why;
    this.#exchange.abort();
  }
}

/** OpenTelemetry's own limit, which the reference server has as well. The first events are kept, and the others are counted. */
const EVENTS_MAX = 128;
/** A handler may give a command a name of megabytes. */
const NAME_MAX_CHARS = 1_000;

/** The events of the span of one attempt, in bounded memory: the commands and the results of runs that came from the handler. */
export class SpanEvents {
  readonly #kept: SpanEvent[] = [];
  #dropped = 0;

  get kept(): readonly SpanEvent[] {
    return this.#kept;
  }

  /** How many events are left out. */
  get dropped(): number {
    return this.#dropped;
  }

  /** @param atMs the moment of items that have none */
  add(received: readonly Received[], atMs: number): void {
    const kept = received.slice(0, EVENTS_MAX - this.#kept.length);
    this.#kept.push(...kept.map((item) => eventOf(item, item.receivedAtMs ?? atMs)));
    this.#dropped += received.length - kept.length;
  }
}

function eventOf(item: Received, atMs: number): SpanEvent {
  if (item.kind === "proposal") {
    const attributes = { "restate.journal.notification.id": `CompletionId: ${item.completionId}` };
    return { name: "restate.invocation.lifecycle.run_ended", atMs, attributes };
  }
  const name = item.message.name.slice(0, NAME_MAX_CHARS);
  const attributes = {
    "restate.journal.command.type": `Command/${item.name}`,
    ...(name !== "" && { "restate.journal.command.name": name }),
  };
  return { name: "restate.invocation.lifecycle.new_command", atMs, attributes };
}
