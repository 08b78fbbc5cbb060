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

/** The slot of one invocation. */
export interface Slot {
  readonly service: string;
  readonly deployment: string;
}

/** The services of one deployment may together take twice the slots of one service. */
const DEPLOYMENT_SHARE = 2;

export class WorkerSlots implements Intake {
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
    const slot = { service, deployment: this.#registry.ownerOf(service) ?? "" };
    if (this.#take(slot)) {
      this.#admitted.push(slot);
      return true;
    }
    this.#hasRefused = true;
    return false;
  }

  /** The slots admitted since the last call, in order. */
  admitted(): readonly Slot[] {
    const slots = this.#admitted;
    this.#admitted = [];
    this.#hasRefused = false;
    return slots;
  }

  /** Takes a slot for work that comes without a message. */
  take(service: string): Slot | undefined {
    const slot = { service, deployment: this.#registry.ownerOf(service) ?? "" };
    return this.#take(slot) ? slot : undefined;
  }

  /** @returns a number that changes whenever the service takes a slot or gives one back */
  lastMoveOf(service: string): number {
    return this.#services.lastMoveOf(service);
  }

  give({ service, deployment }: Slot): void {
    this.#services.give(service);
    this.#deployments.give(deployment);
  }

  #take({ service, deployment }: Slot): boolean {
    if (!this.#deployments.take(deployment)) return false;
    // A refusal must not count as a move of the service.
    if (this.#services.take(service)) return true;
    this.#deployments.give(deployment);
    return false;
  }
}
