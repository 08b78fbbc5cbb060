/**
 * Decides how long one exchange stays open. The decision depends on the limits of time and on what the handler does meanwhile
 * (ADR 0008).
 */
import { Freshness } from "../../core/invocation/freshness.ts";
import type { NotificationEntry } from "../../core/invocation/entry.ts";
import type { Engine } from "../engine.ts";
import type { ActiveInvocation } from "../local/active-invocation.ts";
import { awaitsFarSleeps } from "./asks-now.ts";
import type { Growth } from "./growth.ts";
import { headDueAtMs } from "./held-back.ts";
import type { Reading } from "./reply-reader.ts";

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
    return Math.min(this.#inactivityTimeoutMs, this.#engine.settings.openWaitMs ?? Infinity);
  }

  noteCarried(entry: NotificationEntry): void {
    if (this.#engine.settings.openWaitMs !== undefined) this.#carried.add(entry);
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
    if (this.#engine.settings.exclusiveOwnerPrefix !== undefined) return Infinity;
    if (this.#doing === "waits") return nowMs + LOOK_AFTER_MS;
    return nowMs + lookAfterMs(nowMs - this.#active.attempt.turnSinceMs);
  }

  #openWaitEndsAtMs(nowMs: number): number {
    const { openWaitMs } = this.#engine.settings;
    if (openWaitMs === undefined) return Infinity;
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
