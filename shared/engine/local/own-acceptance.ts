/**
 * An acceptance that the driver's own process makes. The acceptor begins its write; the driver waits until the acceptance is
 * durable, and then forgets the write.
 */
import type { Route } from "../../core/model/deployment.ts";
import type { Item, Write, Written } from "../ports/table.ts";

/** An acceptance whose write to the table has not ended. */
export interface UnderWay {
  /** Resolves when the acceptance is durable. */
  readonly durable: Promise<void>;
  /** True until the write of the acceptance begins: the acceptance may be written together with the first segment. */
  readonly waits: boolean;
  /** Begins the write, unless it has begun. */
  hurry(): void;
  /**
   * @param isLast true if nothing remains to be done after the segment
   * @param lock the write of the lock that the invocation has reserved
   */
  putWith(segment: Item, isLast: boolean, lock?: Write): Promise<Written>;
}

export class OwnAcceptance {
  #route: Route | undefined;
  #underWay: UnderWay | undefined;

  /** @param underWay absent if the acceptance is durable already */
  constructor(route: Route | undefined, underWay?: UnderWay) {
    this.#route = route;
    this.#underWay = underWay;
  }

  /** No segment is committed before this resolves; undefined once the acceptance is known to be durable. */
  get durable(): Promise<void> | undefined {
    return this.#underWay?.durable;
  }

  /** False once the acceptance is known to be durable; stays true if it failed. */
  get isUnsettled(): boolean {
    return this.#underWay !== undefined;
  }

  /** True while the acceptance may be written together with the first segment. */
  get waits(): boolean {
    return this.#underWay?.waits === true;
  }

  /** Begins the write if it waits. @returns undefined if the acceptance is durable, else as `settle` */
  hurry(): Promise<void> | undefined {
    if (this.#underWay === undefined) return undefined;
    this.#underWay.hurry();
    return this.settle();
  }

  /** Resolves when the acceptance is durable. @throws the error with which it failed */
  async settle(): Promise<void> {
    if (this.#underWay === undefined) return;
    await this.#underWay.durable;
    this.#underWay = undefined;
  }

  /** Called only while the acceptance waits. */
  async putWith(segment: Item, isLast: boolean, lock?: Write): Promise<Written> {
    const written = await this.#underWay!.putWith(segment, isLast, lock);
    this.#underWay = undefined;
    return written;
  }

  /** The route of the acceptance, which saves the first attempt a lookup; undefined from the second call on. */
  takeRoute(): Route | undefined {
    const route = this.#route;
    this.#route = undefined;
    return route;
  }
}
