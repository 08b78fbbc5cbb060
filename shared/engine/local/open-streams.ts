/**
 * The exchanges of this process that stay open: which handlers are known not to need them, and which exchanges only
 * wait.
 */
import type { OpenExchange } from "./open-attempt.ts";
import type { DeploymentId } from "../../core/model/ids.ts";

/** The most handlers, and the most deployments, that each memory holds. A full memory is cleared as a whole. */
const REMEMBERED_MAX = 10_000;
/** The most exchanges that wait at a time; the one that has waited longest makes room. */
const WAITING_MAX = 10_000;
/** A stream without a message for this long counts as waiting for something outside, and may make room for others. */
const IDLE_MS = 1_000;

export class OpenStreams {
  readonly earlyAnswers = new EarlyAnswers();
  readonly #waitingMax: number;
  readonly #quiet = new Set<string>();
  /** In the order in which they began to wait. */
  readonly #waiting = new Set<OpenExchange>();
  /** True while a worker has messages and no slot for them. */
  areSlotsWanted = false;

  constructor(waitingMax = WAITING_MAX) {
    this.#waitingMax = waitingMax;
  }

  /** The number of exchanges that wait. */
  get waiting(): number {
    return this.#waiting.size;
  }

  /** True if the handler awaited nothing when it last ran to its end in one attempt. */
  isQuiet(handler: string): boolean {
    return this.#quiet.has(handler);
  }

  noteQuiet(handler: string, isQuiet: boolean): void {
    if (!isQuiet) {
      this.#quiet.delete(handler);
      return;
    }
    if (this.#quiet.size >= REMEMBERED_MAX) this.#quiet.clear();
    this.#quiet.add(handler);
  }

  beginWait(exchange: OpenExchange): void {
    exchange.waits = true;
    this.#waiting.add(exchange);
    if (this.#waiting.size > this.#waitingMax) for (const oldest of this.#waiting) return oldest.halfClose?.();
  }

  endWait(exchange: OpenExchange): void {
    exchange.waits = false;
    this.#waiting.delete(exchange);
  }

  /**
   * Half-closes exchanges that began to wait first. Their handlers suspend, and their invocations are parked.
   * @param isMeant true for the exchanges that may make room
   * @returns the number of exchanges that were half-closed
   */
  shed(nowMs: number, count: number, isMeant: (exchange: OpenExchange) => boolean): number {
    let shed = 0;
    for (const exchange of this.#waiting) {
      if (shed >= count) break;
      if (nowMs - exchange.heardAtMs < IDLE_MS || exchange.halfClose === undefined || !isMeant(exchange)) continue;
      shed++;
      exchange.halfClose();
    }
    return shed;
  }
}

/** How long a deployment gets whole requests after the first exchange that was held back. Each later one doubles the time. */
const FIRST_WHOLE_MS = 60_000;
const LONGEST_WHOLE_MS = 3_600_000;
/** While one exchange shows whether requests are still held back, the others do not wait for its answer. */
const PROBE_MS = 30_000;

interface HeldBack {
  /** When this was last seen. */
  readonly seenAtMs: number;
  readonly forMs: number;
  /** Until then the deployment gets whole requests. */
  untilMs: number;
}

/** Which deployments answer a request before its end, as far as the exchanges of this process have shown. */
export class EarlyAnswers {
  readonly #early = new Set<DeploymentId>();
  readonly #heldBack = new Map<DeploymentId, HeldBack>();

  /** True if the last noted exchange with the deployment was early (`noteEarly`), and not held back (`noteHeldBack`). */
  isKnown(deployment: DeploymentId): boolean {
    return this.#early.has(deployment);
  }

  /**
   * False while the deployment gets whole requests. Afterwards true for one exchange, which probes: a single late answer, such as
   * the first one of a process that has just started, does not decide for as long as this process runs.
   */
  mayStayOpen(deployment: DeploymentId, nowMs: number): boolean {
    const known = this.#heldBack.get(deployment);
    if (known === undefined) return true;
    if (nowMs < known.untilMs) return false;
    known.untilMs = nowMs + PROBE_MS;
    return true;
  }

  /** The deployment has answered a request before its end. */
  noteEarly(deployment: DeploymentId): void {
    this.#heldBack.delete(deployment);
    if (this.#early.size >= REMEMBERED_MAX) this.#early.clear();
    this.#early.add(deployment);
  }

  /**
   * The deployment, or an intermediary, has held a request back until its end.
   * @param startedAtMs when the exchange began. Exchanges that began before the last such note tell nothing new.
   */
  noteHeldBack(deployment: DeploymentId, startedAtMs: number, nowMs: number): void {
    const before = this.#heldBack.get(deployment);
    if (before !== undefined && startedAtMs < before.seenAtMs) return;
    this.#early.delete(deployment);
    const forMs = before === undefined ? FIRST_WHOLE_MS : Math.min(2 * before.forMs, LONGEST_WHOLE_MS);
    if (this.#heldBack.size >= REMEMBERED_MAX) this.#heldBack.clear();
    this.#heldBack.set(deployment, { seenAtMs: nowMs, forMs, untilMs: nowMs + forMs });
  }
}
