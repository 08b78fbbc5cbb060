/** Group commit: writes that arrive during a flush gather in a group, which then reaches the disk as one synced batch. */
import { StoreError } from "../../engine/ports/table.ts";

export type Operation =
  | { readonly type: "put"; readonly key: string; readonly value: Uint8Array }
  | { readonly type: "del"; readonly key: string };

/** The longest time that a lazy write waits for other writes. */
const LAZY_MAX_MS = 20;

/** Writes that become durable together or not at all. */
export class CommitGroup {
  readonly operations: Operation[] = [];
  /** Resolves when the group is durable. @throws StoreError when the write failed; nothing of the group is visible then */
  readonly done: Promise<void>;
  /** True if the condition of a write of this group was checked against a write of the previous group. */
  isDependent = false;
  /** True once the group waits for no further writes: a write in it is not lazy, or its lazy writes have waited long enough. */
  isUrgent = false;
  #resolve!: () => void;
  #reject!: (error: StoreError) => void;
  readonly #listeners: (() => void)[] = [];

  constructor() {
    this.done = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
    this.done.catch(() => undefined);
  }

  /** Calls the listener before any continuation of `done` runs. */
  onSettled(listener: () => void): void {
    this.#listeners.push(listener);
  }

  settle(error?: StoreError): void {
    for (const listener of this.#listeners) listener();
    if (error === undefined) this.#resolve();
    else this.#reject(error);
  }
}

export class CommitGroups {
  readonly #write: (operations: Operation[]) => Promise<void>;
  readonly #recover: () => Promise<void>;
  readonly #failure: (cause: unknown) => StoreError;
  #gathering: CommitGroup | undefined;
  #running: CommitGroup | undefined;
  #isScheduled = false;
  #isEnded = false;
  #lazyTimer: NodeJS.Timeout | undefined;

  /**
   * @param write makes one batch durable
   * @param recover runs after a failed write and before the next one; it never rejects
   * @param failure makes the error with which the failed group rejects
   */
  constructor(
    write: (operations: Operation[]) => Promise<void>,
    recover: () => Promise<void>,
    failure = (cause: unknown) => new StoreError("the store could not write", { cause }),
  ) {
    this.#write = write;
    this.#recover = recover;
    this.#failure = failure;
  }

  /**
   * Adds the operations to the group that is written next: at the end of this tick, or after the running write.
   * @param after the group with a pending write that these operations build on; if that group fails, these operations fail too
   */
  stage(operations: readonly Operation[], after?: CommitGroup): CommitGroup {
    const group = this.#stage(operations, after);
    group.isUrgent = true;
    this.#schedule();
    return group;
  }

  /** As `stage`, but the group waits up to 20 ms for other writes. */
  stageLazily(operations: readonly Operation[], after?: CommitGroup): CommitGroup {
    const group = this.#stage(operations, after);
    if (group === this.#gathering && !group.isUrgent) {
      this.#lazyTimer ??= setTimeout(() => this.#hurry(), LAZY_MAX_MS).unref();
    }
    return group;
  }

  /** Resolves when all groups are written; every later write fails. */
  async end(): Promise<void> {
    while (this.#gathering !== undefined || this.#running !== undefined) {
      this.#hurry();
      const last = this.#gathering ?? this.#running;
      await last?.done.catch(() => undefined);
      await new Promise<void>((resolve) => setImmediate(resolve));
    }
    this.#isEnded = true;
  }

  #stage(operations: readonly Operation[], after: CommitGroup | undefined): CommitGroup {
    if (this.#isEnded) return endedGroup();
    const group = (this.#gathering ??= new CommitGroup());
    for (const operation of operations) group.operations.push(operation);
    if (after !== undefined && after === this.#running) group.isDependent = true;
    return group;
  }

  #hurry(): void {
    clearTimeout(this.#lazyTimer);
    this.#lazyTimer = undefined;
    if (this.#gathering !== undefined) this.#gathering.isUrgent = true;
    this.#schedule();
  }

  #schedule(): void {
    if (this.#isScheduled || this.#running !== undefined || this.#gathering?.isUrgent !== true) return;
    this.#isScheduled = true;
    setImmediate(() => void this.#flush());
  }

  async #flush(): Promise<void> {
    this.#isScheduled = false;
    clearTimeout(this.#lazyTimer);
    this.#lazyTimer = undefined;
    const group = this.#gathering!;
    this.#gathering = undefined;
    this.#running = group;
    try {
      await this.#write(group.operations);
      group.settle();
    } catch (cause) {
      await this.#fail(group, this.#failure(cause));
    }
    this.#running = undefined;
    this.#schedule();
  }

  async #fail(group: CommitGroup, error: StoreError): Promise<void> {
    group.settle(error);
    if (this.#gathering?.isDependent === true) {
      this.#gathering.settle(error);
      this.#gathering = undefined;
    }
    await this.#recover();
  }
}

function endedGroup(): CommitGroup {
  const group = new CommitGroup();
  group.settle(new StoreError("the store is closed"));
  return group;
}
