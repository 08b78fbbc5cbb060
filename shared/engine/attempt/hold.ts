/** Decides whether one exchange stays open, and for how long: by limits of time, and by what the handler does meanwhile (ADR 0008). */
import { Freshness } from "../../core/invocation/freshness.ts";
import { type NotificationEntry } from "../../core/invocation/entry.ts";
import { CANCEL_SIGNAL } from "../../core/protocol/command-parts.ts";
import type { Engine } from "../engine.ts";
import type { ActiveInvocation } from "../local/active-invocation.ts";
import type { Reading } from "./reply-reader.ts";
import type { Journal } from "../../core/invocation/journal.ts";
import { type Await, awaitedCompletions } from "../../core/model/await-tree.ts";
import type { Received } from "../../core/protocol/received.ts";
import type { OpenExchange } from "../local/open-attempt.ts";
import type { OpenStreams } from "../local/open-streams.ts";
import type { AttemptGrew, AttemptOutcome } from "../../core/invocation/event.ts";
import type { Route } from "../../core/model/deployment.ts";
import { knowsEveryArrival } from "../ports/store-ownership.ts";

/** `unknown`: the handler reports no await and executes no run. It may compute, or await something without a report. */
type Doing = "works" | "waits" | "unknown";

/** A driver waits this long with a large journal in memory. */
const LARGE_PATIENCE_MS = 1_000;
/**
 * If the settings bound the waits of open exchanges (`openWaitMs`), the exchange of a handler in the state `unknown` is
 * half-closed after a silence of this time or of `openWaitMs`, whichever is longer.
 */
const SILENCE_MS = 500;
/** The bounds of the time between two reads of arrivals if other processes write them. */
const LOOK_AFTER_MS = 1_000;
const LOOK_LATEST_MS = 10_000;

/**
 * @returns the time from one read of the arrivals to the next. @param quietMs how long the handler has worked without a message
 */
export function lookAfterMs(quietMs: number): number {
  return Math.min(LOOK_LATEST_MS, Math.max(LOOK_AFTER_MS, quietMs / 2));
}

export class Hold {
  readonly #engine: Engine;
  readonly #active: ActiveInvocation;
  readonly #reading: Reading;
  readonly #inactivityTimeoutMs: number;
  /**
   * The notifications sent on the exchange. If the handler reports an await of such a notification, the handler has not read the
   * notification yet.
   */
  readonly #carried = new Freshness([]);
  #waitsSinceMs: number | undefined;

  constructor(engine: Engine, active: ActiveInvocation, reading: Reading, inactivityTimeoutMs: number) {
    this.#engine = engine;
    this.#active = active;
    this.#reading = reading;
    this.#inactivityTimeoutMs = inactivityTimeoutMs;
  }

  /** The longest sleep for which the exchange stays open. */
  get sleepMaxMs(): number {
    return Math.min(this.#inactivityTimeoutMs, this.#engine.settings.openWaitMs);
  }

  noteCarried(entry: NotificationEntry): void {
    if (this.#engine.settings.openWaitMs !== Infinity) this.#carried.add(entry);
  }

  /** @returns when the exchange is to be half-closed if nothing comes until then */
  leavesAtMs(nowMs: number, size: ReturnType<Growth["size"]>): number {
    if (size === "outgrown" || this.#awaitsFarSleeps(nowMs)) return nowMs;
    const largeMs = size === "large" ? LARGE_PATIENCE_MS : Infinity;
    const quietAtMs = this.#reading.open.heardAtMs + Math.min(largeMs, this.#inactivityTimeoutMs);
    const { streams } = this.#engine.activeInvocations;
    const headAtMs = headDueAtMs(streams, this.#reading.open);
    return Math.min(quietAtMs, headAtMs, this.#openWaitEndsAtMs(nowMs));
  }

  /** @returns when the arrivals are read again. While the handler works, the reads become rarer. */
  looksAtMs(nowMs: number): number {
    if (knowsEveryArrival(this.#engine.settings)) return Infinity;
    if (this.#doing === "waits") return nowMs + LOOK_AFTER_MS;
    return nowMs + lookAfterMs(nowMs - this.#active.attempt.turnSinceMs);
  }

  #openWaitEndsAtMs(nowMs: number): number {
    const { openWaitMs } = this.#engine.settings;
    if (openWaitMs === Infinity) return Infinity;
    const doing = this.#doing;
    this.#waitsSinceMs = doing === "waits" ? Math.min(this.#waitsSinceMs ?? nowMs, nowMs) : undefined;
    if (this.#waitsSinceMs !== undefined) return this.#waitsSinceMs + openWaitMs;
    const { headAtMs, heardAtMs } = this.#reading.open;
    // Before the head of the answer comes, the limit of `headDueAtMs` applies instead.
    if (doing === "works" || headAtMs === undefined) return Infinity;
    return Math.max(headAtMs, heardAtMs) + Math.max(SILENCE_MS, openWaitMs);
  }

  /** A handler that reports an await executes no run. Handlers before protocol V7 and some later ones report no awaits. */
  get #doing(): Doing {
    const { conversation } = this.#reading;
    if (this.#active.children.size > 0) return "works";
    const { awaiting } = conversation;
    if (awaiting !== undefined) return this.#carried.satisfies(awaiting) ? "unknown" : "waits";
    return conversation.hasOpenRuns ? "works" : "unknown";
  }

  /**
   * True if the handler reports that it awaits only sleeps that end more than `sleepMaxMs` from now. The exchange does not stay
   * open for such sleeps.
   */
  #awaitsFarSleeps(nowMs: number): boolean {
    const { conversation } = this.#reading;
    const { journal } = this.#active.invocation;
    return awaitsFarSleeps(conversation.awaiting, journal, conversation.received, nowMs + this.sleepMaxMs);
  }
}

/** Commands that need no answer from the engine at once: they can wait for the next entry. */
const QUIET: ReadonlySet<string> = new Set([
  "Run",
  "Output",
  "SetState",
  "ClearState",
  "ClearAllState",
  "GetEagerState",
  "GetEagerStateKeys",
]);

/** @param farFromMs the latest end of a sleep for which the exchange stays open */
export function asksNow(item: Received, farFromMs: number): boolean {
  if (item.kind === "proposal") return true;
  if (item.name === "Sleep") return item.message.wakeUpTimeMs <= farFromMs;
  return !QUIET.has(item.name);
}

/**
 * True if the handler awaits only sleeps that end after `farFromMs`.
 * @param received entries that are not in the journal yet
 */
function awaitsFarSleeps(
  awaiting: Await | undefined,
  journal: Journal,
  received: readonly Received[],
  farFromMs: number,
): boolean {
  if (awaiting === undefined || awaitsSignals(awaiting)) return false;
  const completions = awaitedCompletions(awaiting);
  if (completions.size === 0) return false;
  for (const completionId of completions) {
    const command = journal.open.get(completionId)?.entry.command;
    const endsAtMs = command?.kind === "sleep" ? command.wakeAtMs : newSleepEnd(received, completionId);
    if (endsAtMs === undefined || endsAtMs <= farFromMs) return false;
  }
  return true;
}

function newSleepEnd(received: readonly Received[], completionId: number): number | undefined {
  for (const item of received)
    if (item.kind === "command" && item.name === "Sleep" && item.message.resultCompletionId === completionId)
      return item.message.wakeUpTimeMs;
  return undefined;
}

/** True if the await names a signal other than CANCEL, which every await names. */
function awaitsSignals({ signals, namedSignals, nested }: Await): boolean {
  return namedSignals.length > 0 || signals.some((index) => index !== CANCEL_SIGNAL) || nested.some(awaitsSignals);
}

/**
 * If the head of an answer does not come within this time, the answer may wait for the end of the request: some intermediaries
 * pass only whole requests on.
 */
const HEAD_PATIENCE_MS = 2_000;
/**
 * The longer time for a deployment that is known to answer before the end of a request. If the head of such a deployment is late,
 * the cause may be an overload of the deployment or of this server.
 */
const EARLY_HEAD_PATIENCE_MS = 10_000;
/** A head that comes within this time after the end of the request counts as one that waited for that end. */
const HEAD_BEHIND_END_MS = 500;

function patienceMs(streams: OpenStreams, { deploymentId }: OpenExchange): number {
  return streams.earlyAnswers.isKnown(deploymentId) ? EARLY_HEAD_PATIENCE_MS : HEAD_PATIENCE_MS;
}

/**
 * The moment at which the exchange is half-closed if no head has come; infinite once the head has come, or while the request is
 * unsent.
 */
function headDueAtMs(streams: OpenStreams, open: OpenExchange): number {
  return open.headAtMs !== undefined || open.isUnsent() ? Infinity : open.startedAtMs + patienceMs(streams, open);
}

/** Called once the head has come. */
export function noteHead(streams: OpenStreams, open: OpenExchange): void {
  if (open.halfClose !== undefined) streams.earlyAnswers.noteEarly(open.deploymentId);
}

/** Called at the end of the exchange: a deployment that answers only whole requests gets whole requests for a while. */
export function learnFromHead(streams: OpenStreams, open: OpenExchange, nowMs: number): void {
  const { halfClosedAtMs, headAtMs, startedAtMs, deploymentId } = open;
  if (halfClosedAtMs === undefined || headAtMs === undefined) return;
  const behindMs = headAtMs - halfClosedAtMs;
  const isLate = halfClosedAtMs - startedAtMs >= patienceMs(streams, open);
  if (!isLate || behindMs < 0 || behindMs >= HEAD_BEHIND_END_MS) return;
  streams.earlyAnswers.noteHeldBack(deploymentId, startedAtMs, nowMs);
}

export interface Growth {
  /** Makes the entries durable, then performs their effects (I2). @returns false if the lease is lost */
  add(grew: AttemptGrew): Promise<boolean>;
  /** Reads the arrivals that other parties may have written. */
  look(): Promise<void>;
  /** Wakes the invocations whose results the handler may await, and that no driver of this process drives. */
  wake(): Promise<void>;
  /** `large`: a driver that waits must not keep the journal for long. `outgrown`: the invocation must be loaded again. */
  size(): "small" | "large" | "outgrown";
}

/**
 * True if the next exchange stays open over several segments. For a quiet handler, one that only returns a result, an open exchange
 * costs more and gains nothing, so its first attempt is request-response. A handler that this process does not know yet gets an open
 * exchange: it may run code beside its steps, such as a library that saves its session, and a suspension would disturb that code.
 */
export function staysOpen(engine: Engine, active: ActiveInvocation, route: Route): boolean {
  const { settings, activeInvocations } = engine;
  if (!settings.opensExchanges || !canStayOpen(route) || active.isStopping) return false;
  // A process with so little time left would half-close the exchange at once.
  const nowMs = engine.clock.nowMs();
  if (nowMs >= activeInvocations.leavesAtMs) return false;
  // A suspect is marked in the table until its whole reply is stored, so it gets a request-response exchange.
  if (activeInvocations.suspects?.isTrying(active.id) === true) return false;
  const { streams } = activeInvocations;
  if (active.invocation.journal.commandCount <= 1 && streams.isQuiet(handlerOf(route))) return false;
  // This check comes last, because a true answer may make this exchange the deployment's only probe for a while.
  return streams.earlyAnswers.mayStayOpen(route.deployment.id, nowMs);
}

/** True if the deployment reads requests and sends answers at the same time, and an inactivity timeout lets it wait. */
function canStayOpen({ deployment, settings }: Route): boolean {
  const { destination, protocolMode } = deployment;
  if (protocolMode !== "bidi-stream" || settings.inactivityTimeoutMs <= 0) return false;
  return destination.kind === "http" && destination.httpVersion === "h2";
}

/** Records whether the handler awaited something during the attempt. */
export function learnQuiet(
  { settings, activeInvocations }: Engine,
  { invocation }: ActiveInvocation,
  route: Route,
  ending: AttemptOutcome,
): void {
  if (!settings.opensExchanges || !canStayOpen(route)) return;
  if (ending.kind === "suspended") activeInvocations.streams.noteQuiet(handlerOf(route), false);
  // An invocation that ends at its first attempt and has no segment before its end has waited for nothing.
  else if (ending.kind === "ended" && invocation.segmentIndex === 0)
    activeInvocations.streams.noteQuiet(handlerOf(route), true);
}

function handlerOf({ deployment, service, handler }: Route): string {
  return `${deployment.id}/${service.name}/${handler.name}`;
}
