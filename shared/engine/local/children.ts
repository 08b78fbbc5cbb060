/** The calls that one driver drives along. The driver (`drive/`) owns it; `effects/` notes calls that park at once. */
import type { Invocation } from "../../core/invocation/invocation.ts";

/** The most calls of one invocation that are driven along at a time. */
const ALONGSIDE_MAX = 32;

interface Child {
  readonly invocation: Invocation;
}

const NONE: ReadonlySet<number> = new Set();

/** Most invocations make no call: the collections are made with the first one. */
export class Children {
  #driven: Map<number, Child> | undefined;
  #parked: Set<number> | undefined;

  /** The calls that are driven along now. */
  get size(): number {
    return this.#driven?.size ?? 0;
  }

  /** How many more calls the driver can drive along. */
  get room(): number {
    return ALONGSIDE_MAX - this.size;
  }

  /** Completion ids of calls that were driven along until they parked; their own wakes are set, so this driver sends none. */
  get parked(): ReadonlySet<number> {
    return this.#parked ?? NONE;
  }

  /** The calls that are driven along now. */
  all(): readonly Child[] {
    return this.#driven === undefined ? [] : [...this.#driven.values()];
  }

  begin(completionId: number, child: Child): void {
    (this.#driven ??= new Map()).set(completionId, child);
  }

  end(completionId: number): void {
    this.#driven?.delete(completionId);
  }

  notePark(completionId: number): void {
    (this.#parked ??= new Set()).add(completionId);
  }
}
