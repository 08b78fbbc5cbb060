/** The slots of a process. They limit the invocations that its worker drives at a time: in total, per service and per deployment. */
import { type LaneLimit, Slots } from "../bulkheads/slots.ts";
import type { Intake } from "../ports/queue.ts";
import type { Registry } from "../ports/registry.ts";

export interface WorkerLimits {
  /** The most invocations that the worker drives at the same time. */
  readonly concurrencyMax: number;
  /** If true, the worker drives fewer invocations while timers fire late. A process that also serves requests sets this. */
  readonly heedsLag?: boolean;
  /** The most slots of one service; a share by default. */
  readonly perService?: LaneLimit;
  /** The most slots of one deployment; a share by default. */
  readonly perDeployment?: LaneLimit;
}

/** The slots of the worker in this process. */
export interface DriveSlots {
  /** @returns a function that gives the slot back; undefined if the service has its share, or all slots are in use */
  take(service: string): (() => void) | undefined;
  /** @returns a number that changes whenever the service takes a slot or gives one back */
  lastMoveOf(service: string): number;
}

/** The slots of a process without a worker. On AWS, Lambda gives each function a few messages at a time, so no slots are counted. */
export const NO_SLOTS: DriveSlots = { take: () => undefined, lastMoveOf: () => 0 };

/** The services of one deployment may together take twice the slots of one service. */
const DEPLOYMENT_SHARE = 2;

export class WorkerSlots implements Intake, DriveSlots {
  readonly #registry: Pick<Registry, "ownerOf">;
  readonly #services: Slots;
  readonly #deployments: Slots;
  readonly #onGiven: () => void;
  #admitted: (() => void)[] = [];
  #hasRefused = false;

  /** @param onGiven called after a slot was given back */
  constructor(registry: Pick<Registry, "ownerOf">, limits: WorkerLimits, onGiven: () => void) {
    const { concurrencyMax: count, perService = "share", perDeployment = "share" } = limits;
    this.#registry = registry;
    this.#services = new Slots({ count, perLane: perService });
    this.#deployments = new Slots({ count, perLane: perDeployment, shareFactor: DEPLOYMENT_SHARE });
    this.#onGiven = onGiven;
  }

  /** Sets the number of invocations that the worker may drive at a time. */
  want(count: number): void {
    this.#services.want(count);
    this.#deployments.want(count);
  }

  /** True if a message was refused since the last call of `admitted`. Once a slot is free, the message may be admitted. */
  get hasRefused(): boolean {
    return this.#hasRefused;
  }

  admit(service = ""): boolean {
    const give = this.take(service);
    if (give === undefined) this.#hasRefused = true;
    else this.#admitted.push(give);
    return give !== undefined;
  }

  /** The slots admitted since the last call, in order, each as the function that gives it back. */
  admitted(): readonly (() => void)[] {
    const slots = this.#admitted;
    this.#admitted = [];
    this.#hasRefused = false;
    return slots;
  }

  take(service: string): (() => void) | undefined {
    const deployment = this.#registry.ownerOf(service) ?? "";
    if (!this.#deployments.take(deployment)) return undefined;
    // A refusal must not count as a move of the service.
    if (this.#services.take(service))
      return () => {
        this.#services.give(service);
        this.#deployments.give(deployment);
        this.#onGiven();
      };
    this.#deployments.give(deployment);
    return undefined;
  }

  lastMoveOf(service: string): number {
    return this.#services.lastMoveOf(service);
  }
}
