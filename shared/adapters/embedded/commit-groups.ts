/** Group commit: writes gather while a flush is under way, and each group reaches the disk as one synced batch. */
import { StoreError } from "../../engine/ports/table.ts";

export type Operation =
  | { readonly type: "put"; readonly key: string; readonly value: Uint8Array }
  | { readonly type: "del"; readonly key: string };

/** How long a lazy write may wait for company. */
const LAZY_MAX_MS = 20;

/** Writes that become durable together or not at all. */
export class CommitGroup {
  readonly operations: Operation[] = [];
  /** Resolves when the group is durable. @throws StoreError when it is not, and nothing of it is visible */
  readonly done: Promise<void>;
  /** True where a write of this group was judged against one of the group before it. */
  isDependent = false;
  /** False while it holds lazy writes only, which wait for company. */
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

  /** Calls back before anybody who awaits `done` runs. */
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
   * @param recover is called after a failed write, before the next one; it never rejects
   * @param failure what those hear whose writes failed
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
   * Adds to the group that is written next, which is at the end of this tick where nothing is being written.
   * @param after the group whose writes these were judged against: they fail with it
   */
  stage(operations: readonly Operation[], after?: CommitGroup): CommitGroup {
    const group = this.#stage(operations, after);
    group.isUrgent = true;
    this.#schedule();
    return group;
  }

  /** As `stage`, but waits a little for a write that is in more of a hurry. */
  stageLazily(operations: readonly Operation[], after?: CommitGroup): CommitGroup {
    const group = this.#stage(operations, after);
    if (group === this.#gathering && !group.isUrgent) {
      this.#lazyTimer ??= setTimeout(() => this.#hurry(), LAZY_MAX_MS).unref();
    }
    return group;
  }

  /** Resolves when nothing is left to write; from then on every write fails. */
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
