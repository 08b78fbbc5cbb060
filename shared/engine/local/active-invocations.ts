/** The invocations that this process drives now, and the hints that end their waits early. */
import type { InvocationId, Token } from "../../core/model/ids.ts";
import { TransientMap } from "../../core/model/transient-map.ts";
import { NO_SLOTS } from "../admission/worker-slots.ts";
import type { ActiveInvocation } from "./active-invocation.ts";
import type { Clock } from "../ports/clock.ts";
import { DelayedBatch, PendingRequeues, RecentWakes } from "./sent-wakes.ts";
import type { GivenBack } from "./held-places.ts";
import { JointAsks } from "./joint-asks.ts";
import { KeyTurns } from "./key-turns.ts";
import { OpenStreams } from "./open-streams.ts";
import type { Suspects } from "./suspects.ts";
import type { Exchange } from "../ports/endpoints.ts";

/**
 * `shutdown`: the process ends. `time`: the time for the event that a function on AWS handles now is nearly over. `replied`: the
 * reply to this event is ready. After the last two, the process may get another event later.
 */
export type StopReason = "shutdown" | "time" | "replied";

/** Open exchanges are half-closed this long before the time is up: a handler can end its step, and then suspends. */
const LEAVE_BEFORE_MS = 2_000;

/**
 * No decision depends on this memory: a process without it reaches the same results, later (I8).
 * The watch over leases and exchanges runs only while the process drives an invocation or drains an exchange.
 */
export class ActiveInvocations {
  readonly #clock: Clock;
  readonly #owner: string;
  readonly #byId = new TransientMap<InvocationId, ActiveInvocation>();
  readonly #waiters = new Map<InvocationId, Set<() => void>>();
  #tokens = 0;
  #stopReason: StopReason | undefined;
  #timeIsUpAtMs = Infinity;
  #settled: (() => void)[] = [];
  /** When this process could first drive an invocation. */
  readonly beganAtMs: number;
  readonly drains = new Drains();
  /** The turns at the keys of objects; only a process that owns its store alone takes them. */
  readonly keyTurns = new KeyTurns();
  /** The turns of changes of the registry, so that those of this process never refuse each other. */
  readonly changeTurns = new KeyTurns();
  /** Those who ask for a token of a rate. */
  readonly starts = new JointAsks<undefined, boolean>();
  /** Those who give a place of a pool back: one read of the line serves all of them, and none refuses another. */
  readonly givesBack = new JointAsks<GivenBack, void>();
  /** The exchanges that stay open over several segments. */
  readonly streams = new OpenStreams();
  /** Work that waits a moment, to be done in one batch. */
  readonly delayed: DelayedBatch;
  /** Messages that this process has sent in place of other messages. */
  readonly requeues = new PendingRequeues();
  /** Invocations that this process's sweeper has woken recently. */
  readonly recentWakes = new RecentWakes();
  /**
   * An item whose time to live, as it is stored now, ended before this moment belongs to no open invocation: a walk of this
   * process would have extended the item. This holds however long the process or its machine was suspended. Undefined until
   * such a walk has ended.
   */
  expirableBeforeMs: number | undefined;
  /** The invocations that may have ended the previous process; absent after a clean end. */
  suspects?: Suspects;
  /** The worker's slots. Sends and records that are driven without a message take slots too. */
  slots = NO_SLOTS;
  /** True while a watch runs, so that only one runs at a time. */
  watched = false;

  /** @param owner the name of this process, with which each of its tokens begins */
  constructor(clock: Clock, owner: string) {
    this.#clock = clock;
    this.beganAtMs = clock.nowMs();
    this.delayed = new DelayedBatch(clock);
    this.#owner = owner;
  }

  get size(): number {
    return this.#byId.size;
  }

  get stopping(): boolean {
    return this.#stopReason !== undefined;
  }

  get stopReason(): StopReason | undefined {
    return this.#stopReason;
  }

  /** When open exchanges are half-closed because the time of the process is nearly up. */
  get leavesAtMs(): number {
    return this.#timeIsUpAtMs - LEAVE_BEFORE_MS;
  }

  newToken(): Token {
    return `${this.#owner}.${++this.#tokens}` as Token;
  }

  all(): Iterable<ActiveInvocation> {
    return this.#byId.values();
  }

  /** A second local drive means that the first one lost its lease; the exchange of the first one is aborted. */
  add(active: ActiveInvocation): void {
    const former = this.#byId.get(active.id);
    if (former !== undefined && former !== active) former.lose();
    this.#byId.set(active.id, active);
    if (this.stopping) active.stop();
  }

  remove(active: ActiveInvocation): void {
    if (this.#byId.get(active.id) === active) this.#byId.delete(active.id);
    if (this.#byId.size > 0) return;
    for (const resolve of this.#settled.splice(0)) resolve();
  }

  find(id: InvocationId): ActiveInvocation | undefined {
    return this.#byId.get(id);
  }

  /** An item was written for this invocation: its driver, if it is in this process, reads the arrivals before it parks. */
  markDirty(id: InvocationId): void {
    this.#byId.get(id)?.inbox.markDirty();
  }

  /** Ends the waits in this process for the end of an invocation, so that the waiting requests look at it again. */
  notify(id: InvocationId): void {
    const waiting = this.#waiters.get(id);
    if (waiting === undefined) return;
    this.#waiters.delete(id);
    for (const wake of waiting) wake();
  }

  /** Waits at most `ms` for a `notify` of the invocation, which is a hint and may never come. */
  async waitFor(id: InvocationId, ms: number, signal?: AbortSignal): Promise<void> {
    const over = new AbortController();
    const wake = () => over.abort();
    const waiting = this.#waiters.get(id) ?? new Set();
    this.#waiters.set(id, waiting.add(wake));
    signal?.addEventListener("abort", wake, { once: true });
    if (signal?.aborted !== true) await this.#clock.sleep(ms, over.signal);
    signal?.removeEventListener("abort", wake);
    waiting.delete(wake);
    if (waiting.size === 0 && this.#waiters.get(id) === waiting) this.#waiters.delete(id);
  }

  /** Resolves when this process drives no invocation. */
  async settled(): Promise<void> {
    if (this.#byId.size > 0) await new Promise<void>((resolve) => this.#settled.push(resolve));
  }

  /** Called when a process that is stopped between events has received an event: it may drive until the time is up. */
  resume(timeIsUpAtMs: number): void {
    this.#stopReason = undefined;
    this.#timeIsUpAtMs = timeIsUpAtMs;
  }

  /** Makes every driver park as soon as it can, and aborts open exchanges. */
  stop(why: StopReason = "shutdown"): void {
    this.#stopReason = why;
    const leavesAtMs = why === "shutdown" ? this.#clock.nowMs() : undefined;
    for (const active of this.#byId.values()) active.stop(leavesAtMs);
    for (const id of this.#waiters.keys()) this.notify(id);
  }
}

/** An exchange that ends by itself leaves a reusable connection. After this time, `look` aborts the exchange. */
const DRAIN_MAX_MS = 5_000;

interface Drain {
  readonly untilMs: number;
  /** Undefined once the exchange has ended. */
  exchange: Exchange | undefined;
}

/** Exchanges whose answer is complete and whose stream is still open: each gets a bounded time to end by itself. */
class Drains {
  #open: Drain[] = [];

  get isEmpty(): boolean {
    return this.#open.length === 0;
  }

  /** Reads to the end of the stream. Never rejects: a break after the answer has no consequence. */
  async drain(exchange: Exchange, nowMs: number): Promise<void> {
    const drain: Drain = { untilMs: nowMs + DRAIN_MAX_MS, exchange };
    this.#open.push(drain);
    try {
      while ((await exchange.next()) !== undefined);
    } catch {
      // A broken exchange has ended, too.
    } finally {
      drain.exchange = undefined;
    }
  }

  /** Aborts late exchanges, and forgets ended ones. An exchange is late, too, if the clock was set back since its answer. */
  look(nowMs: number): void {
    const isLate = ({ untilMs }: Drain): boolean => untilMs <= nowMs || untilMs > nowMs + DRAIN_MAX_MS;
    for (const drain of this.#open) if (isLate(drain)) drain.exchange?.abort();
    this.#open = this.#open.filter((drain) => drain.exchange !== undefined && !isLate(drain));
  }
}
