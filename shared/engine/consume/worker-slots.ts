/** The slots of a worker: how many invocations it drives at a time, and how many of them one service or deployment may take. */
import { type LaneLimit, Slots } from "../bulkheads/slots.ts";
import type { Admission } from "../ports/queue.ts";
import type { Registry } from "../ports/registry.ts";

export interface WorkerLimits {
  /** Invocations that are driven at the same time. */
  readonly concurrencyMax: number;
  /** Drives fewer at a time while timers come late: for a process that carries doors and other work beside its worker. */
  readonly heedsLag?: boolean;
  /** Of these, those of one service; a share unless given. */
  readonly perService?: LaneLimit;
  /** Of these, those of one deployment; a share unless given. */
  readonly perDeployment?: LaneLimit;
}

/** One invocation that is driven. */
export interface Slot {
  readonly service: string;
  readonly deployment: string;
}

/** Services of one deployment may together take twice what each may take alone. */
const DEPLOYMENT_SHARE = 2;

export class WorkerSlots implements Admission {
  readonly #registry: Pick<Registry, "ownerOf">;
  readonly #services: Slots;
  readonly #deployments: Slots;
  #admitted: Slot[] = [];
  #hasRefused = false;

  constructor(registry: Pick<Registry, "ownerOf">, limits: WorkerLimits) {
    const { concurrencyMax: count, perService = "share", perDeployment = "share" } = limits;
    this.#registry = registry;
    this.#services = new Slots({ count, perLane: perService });
    this.#deployments = new Slots({ count, perLane: perDeployment, shareFactor: DEPLOYMENT_SHARE });
  }

  /** While the process is behind, it drives fewer invocations. */
  want(count: number): void {
    this.#services.want(count);
    this.#deployments.want(count);
  }

  /** Whether a message was refused since the last call of `admitted`: a slot that is given back may let it in. */
  get hasRefused(): boolean {
    return this.#hasRefused;
  }

  admit(service = ""): boolean {
    const slot = { service, deployment: this.#registry.ownerOf(service) ?? "" };
    if (this.#take(slot)) {
      this.#admitted.push(slot);
      return true;
    }
    this.#hasRefused = true;
    return false;
  }

  /** The slots that were admitted since the last call, in order. */
  admitted(): readonly Slot[] {
    const slots = this.#admitted;
    this.#admitted = [];
    this.#hasRefused = false;
    return slots;
  }

  give({ service, deployment }: Slot): void {
    this.#services.give(service);
    this.#deployments.give(deployment);
  }

  #take({ service, deployment }: Slot): boolean {
    if (!this.#services.take(service)) return false;
    if (this.#deployments.take(deployment)) return true;
    this.#services.give(service);
    return false;
  }
}
