/** The drives of this process: hints only, so that a wait ends early and a lease is renewed in time. */
import type { InvocationId, Token } from "../../core/model/ids.ts";
import { TransientMap } from "../../core/model/transient-map.ts";
import { Drains } from "./drains.ts";
import { type ActiveInvocation, letGo, lose } from "./active-invocation.ts";
import type { Clock } from "../ports/clock.ts";
import { DelayedBatch } from "./delayed-batch.ts";
import { PendingRequeues } from "./pending-requeues.ts";
import type { Suspects } from "./suspects.ts";
import { RecentWakes } from "./recent-wakes.ts";

/** `shutdown`: the process ends. `time`: its time for this event is nearly over, and it may be given another event later. */
export type StopReason = "shutdown" | "time";

/**
 * Nothing here is truth: a second process that knows none of it reaches the same results, later (I8).
 * The watch over leases and silent exchanges runs only while something is being driven.
 */
export class ActiveInvocations {
  readonly #clock: Clock;
  readonly #owner: string;
  readonly #held = new TransientMap<InvocationId, ActiveInvocation>();
  readonly #bells = new Map<InvocationId, Set<() => void>>();
  #tokens = 0;
  #stopReason: StopReason | undefined;
  #settled: (() => void)[] = [];
  readonly drains = new Drains();
  /** What may wait a moment for company. */
  readonly delayed: DelayedBatch;
  /** What this process has sent in place of other messages. */
  readonly requeues = new PendingRequeues();
  /** What this process's sweeper has woken lately. */
  readonly recentWakes = new RecentWakes();
  /**
   * When this process last began to extend everything that is open. What had expired by then and is expired still belongs
   * to nothing that is open, however long the process or its machine had slept.
   */
  walkedAtMs: number | undefined;
  /** The invocations that may have ended the previous process; absent after a clean end. */
  suspects?: Suspects;
  /** One watch goes round at a time. */
  watched = false;

  /** @param owner names this process: the beginning of every token it gives out */
  constructor(clock: Clock, owner: string) {
    this.#clock = clock;
    this.delayed = new DelayedBatch(clock);
    this.#owner = owner;
  }

  get size(): number {
    return this.#held.size;
  }

  get stopping(): boolean {
    return this.#stopReason !== undefined;
  }

  get stopReason(): StopReason | undefined {
    return this.#stopReason;
  }

  newToken(): Token {
    return `${this.#owner}.${++this.#tokens}` as Token;
  }

  all(): Iterable<ActiveInvocation> {
    return this.#held.values();
  }

  /** Who is driven anew in this process was lost to the drive before, whose exchange may never end by itself. */
  add(active: ActiveInvocation): void {
    const former = this.#held.get(active.id);
    if (former !== undefined && former !== active) lose(former);
    this.#held.set(active.id, active);
    if (this.stopping) active.stopping = true;
  }

  remove(active: ActiveInvocation): void {
    if (this.#held.get(active.id) === active) this.#held.delete(active.id);
    if (this.#held.size > 0) return;
    for (const resolve of this.#settled.splice(0)) resolve();
  }

  find(id: InvocationId): ActiveInvocation | undefined {
    return this.#held.get(id);
  }

  /** Something was written for this invocation: its driver, if it is one of ours, reads before it parks. */
  markDirty(id: InvocationId): void {
    const active = this.#held.get(id);
    if (active === undefined) return;
    active.dirty = true;
    active.interrupt?.();
  }

  /** Tells those of this process who wait for the end of an invocation to look. */
  notify(id: InvocationId): void {
    const waiting = this.#bells.get(id);
    if (waiting === undefined) return;
    this.#bells.delete(id);
    for (const wake of waiting) wake();
  }

  /** Waits until somebody rings, at most `ms`; a ring is a hint and may never come. */
  async waitFor(id: InvocationId, ms: number, signal?: AbortSignal): Promise<void> {
    const bell = new AbortController();
    const wake = () => bell.abort();
    const waiting = this.#bells.get(id) ?? new Set();
    this.#bells.set(id, waiting.add(wake));
    signal?.addEventListener("abort", wake, { once: true });
    if (signal?.aborted !== true) await this.#clock.sleep(ms, bell.signal);
    signal?.removeEventListener("abort", wake);
    waiting.delete(wake);
    if (waiting.size === 0 && this.#bells.get(id) === waiting) this.#bells.delete(id);
  }

  /** Resolves when this process drives nothing any more. */
  async settled(): Promise<void> {
    if (this.#held.size > 0) await new Promise<void>((resolve) => this.#settled.push(resolve));
  }

  /** A process that stopped for time has got another event, and may drive again. */
  resume(): void {
    this.#stopReason = undefined;
  }

  /** Asks every driver to park at its next occasion and lets go of open exchanges. */
  stop(why: StopReason = "shutdown"): void {
    this.#stopReason = why;
    for (const active of this.#held.values()) {
      active.stopping = true;
      letGo(active, "stopping");
      active.interrupt?.();
    }
    for (const id of this.#bells.keys()) this.notify(id);
  }
}
