/** The calls that one driver drives along. `drive/` changes this part, and `effects/` adds calls that park at once. */
import type { Invocation } from "../../core/invocation/invocation.ts";
import type { OwnAcceptance } from "./own-acceptance.ts";

/** The most calls of one invocation that are driven along at a time. */
const CHILDREN_MAX = 32;

interface Child {
  readonly invocation: Invocation;
  readonly ownAcceptance: OwnAcceptance | undefined;
}

const NONE: ReadonlySet<number> = new Set();

/** The collections are made for the first call, because most invocations make no call. */
export class Children {
  #driven: Map<number, Child> | undefined;
  #parked: Set<number> | undefined;
  /** Calls that are no longer driven, and whose acceptance is not known to be durable. */
  #leftUnsettled: Child[] | undefined;

  /** The calls that are driven along now. */
  get size(): number {
    return this.#driven?.size ?? 0;
  }

  /** The number of further calls that the driver can drive along. */
  get room(): number {
    return CHILDREN_MAX - this.size;
  }

  /** The completion ids of calls that have parked. Their wakes are set, so this driver sends no message for them. */
  get parked(): ReadonlySet<number> {
    return this.#parked ?? NONE;
  }

  /** The calls that are driven along now. */
  all(): readonly Child[] {
    return this.#driven === undefined ? [] : [...this.#driven.values()];
  }

  /** The completion ids of the calls that are driven along now. */
  get driven(): Iterable<number> {
    return this.#driven?.keys() ?? [];
  }

  /**
   * Begins the writes of the acceptances that still wait to be written together with the first segment of their call. The
   * driver waits for these writes before it writes the next segment or the park of the calling invocation, because a redo
   * accepts only the calls of the last segment (I2).
   * @returns undefined if all are durable. @throws the error with which one failed
   */
  settle(): Promise<unknown> | undefined {
    if (this.#driven === undefined) return undefined;
    const children = [...this.#driven.values(), ...(this.#leftUnsettled ?? [])];
    const waiting = children.flatMap(({ ownAcceptance }) => ownAcceptance?.hurry() ?? []);
    return waiting.length === 0 ? undefined : Promise.all(waiting);
  }

  /**
   * As `settle`, for calls that are no longer driven. If the write of an acceptance failed, the call may not exist in the table,
   * so the calling invocation must not wait for it.
   */
  settleLeft(): Promise<unknown> | undefined {
    const left = this.#leftUnsettled;
    if (left === undefined) return undefined;
    const waiting = left.flatMap(({ ownAcceptance }) => ownAcceptance?.hurry() ?? []);
    return Promise.all(waiting).then(() => {
      if (this.#leftUnsettled === left) this.#leftUnsettled = undefined;
    });
  }

  begin(completionId: number, child: Child): void {
    (this.#driven ??= new Map()).set(completionId, child);
  }

  end(completionId: number): void {
    const child = this.#driven?.get(completionId);
    this.#driven?.delete(completionId);
    if (child?.ownAcceptance?.isUnsettled === true) this.#leftUnsettled = [...(this.#leftUnsettled ?? []), child];
  }

  notePark(completionId: number): void {
    (this.#parked ??= new Set()).add(completionId);
  }
}
