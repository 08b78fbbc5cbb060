/** Which deployments answer a request before its end, as far as the exchanges of this process have shown. */
import type { DeploymentId } from "../../core/model/ids.ts";

/** The most deployments that each of the two memories holds. A full memory is cleared as a whole. */
const REMEMBERED_MAX = 10_000;
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
