/** One store directory: its database, its commit groups, and its way back after a failed write. */
import { join } from "node:path";
import { ClassicLevel } from "classic-level";
import { StoreError } from "../../engine/ports/table.ts";
import type { Operation } from "./commit-groups.ts";
import { CommitGroups } from "./commit-groups.ts";
import { writeGroup } from "./group-writer.ts";
import type { StoreKind } from "./store-version.ts";
import { STORE_FORMAT, StoreOpenError, claimFormat, raiseFormat } from "./store-version.ts";

export type Database = ClassicLevel<string, Uint8Array>;

const ENTRIES_MAX_BYTES = 1024 * 1024;

export interface StoreOptions {
  readonly kind: StoreKind;
  /** Of the block cache; 32 MB unless told. */
  readonly cacheMaxBytes?: number;
  /** Of the log held in memory before it becomes a table file; 16 MB unless told. */
  readonly writeBufferMaxBytes?: number;
}

/**
 * Opens the store in this directory, or makes one where there is nothing. It belongs to this process until it is
 * closed or the process ends, however it ends.
 * @throws StoreOpenError
 */
export async function openStore(dir: string, options: StoreOptions): Promise<Store> {
  const found = await claimFormat(dir, options.kind);
  const database: Database = new ClassicLevel(join(dir, "db"), {
    keyEncoding: "utf8",
    valueEncoding: "view",
    cacheSize: options.cacheMaxBytes ?? 32 * 1024 * 1024,
    writeBufferSize: options.writeBufferMaxBytes ?? 16 * 1024 * 1024,
  });
  try {
    await database.open();
  } catch (cause) {
    const versions = { found: STORE_FORMAT[options.kind], expected: STORE_FORMAT[options.kind] };
    if (isLocked(cause))
      throw new StoreOpenError("locked", dir, `${dir} is open in a living process`, versions, { cause });
    throw new StoreOpenError("unreadable", dir, `${dir} cannot be opened`, versions, { cause });
  }
  if (found < STORE_FORMAT[options.kind]) await raised(dir, options.kind, database);
  return new Store(dir, options.kind, database);
}

/** Only now is the store known to be nobody else's. */
async function raised(dir: string, kind: StoreKind, database: Database): Promise<void> {
  try {
    await raiseFormat(dir, kind);
  } catch (error) {
    await database.close();
    throw error;
  }
}

/** What the system said, without the path at which it said it: the message may be read outside. */
function reasonOf(error: unknown): string | undefined {
  const root = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  return root instanceof Error ? /: ([A-Za-z][^:/\\]*)$/.exec(root.message)?.[1] : undefined;
}

function isLocked(error: unknown): boolean {
  const cause = error instanceof Error ? error.cause : undefined;
  return cause instanceof Error && "code" in cause && cause.code === "LEVEL_LOCKED";
}

export class Store {
  readonly dir: string;
  readonly #kind: StoreKind;
  readonly database: Database;
  readonly groups: CommitGroups;
  /** Makes one group durable. It can be replaced by one that also watches, holds back or fails. */
  writeGroup: (operations: Operation[]) => Promise<void>;
  readonly #closers: (() => Promise<void>)[] = [];
  #isDown = false;
  #downCause: unknown;
  #recovering: Promise<void> | undefined;
  #closing: Promise<void> | undefined;

  constructor(dir: string, kind: StoreKind, database: Database) {
    this.dir = dir;
    this.#kind = kind;
    this.database = database;
    this.writeGroup = (operations) => writeGroup(database, operations);
    this.groups = new CommitGroups(
      (operations) => this.writeGroup(operations),
      () => this.#recover(),
      (cause) => this.#failure("write", cause),
    );
  }

  /**
   * Undefined where the store can be used at once, which is nearly always; else resolves when it can.
   * @throws StoreError where it is closed, or cannot be opened again after a failed write
   */
  whenUsable(): Promise<void> | undefined {
    if (this.#closing !== undefined) return Promise.reject(new StoreError(`the ${this.#kind} store is closed`));
    if (!this.#isDown) return undefined;
    return this.#recover().then(() => {
      if (this.#isDown) throw this.#failure("be opened again after a failed write", this.#downCause);
    });
  }

  /** What stands at a key, of durable writes only. @throws StoreError */
  read(key: string): Uint8Array | undefined {
    try {
      return this.database.getSync(key);
    } catch (cause) {
      throw this.#failure("read", cause);
    }
  }

  /** The durable entries within bounds in key order; fewer than the limit where they are many bytes. @throws StoreError */
  async entries(bounds: { gte: string; lt: string; reverse?: boolean }, limit: number): Promise<Entries> {
    try {
      const iterator = this.database.iterator({ ...bounds, highWaterMarkBytes: ENTRIES_MAX_BYTES, fillCache: true });
      try {
        const entries: [string, Uint8Array][] = [];
        let bytes = 0;
        while (entries.length < limit && bytes < ENTRIES_MAX_BYTES) {
          const more = await iterator.nextv(limit - entries.length);
          if (more.length === 0) return { entries, isWhole: true };
          for (const entry of more) {
            bytes += entry[1].length;
            entries.push(entry);
          }
        }
        return { entries, isWhole: false };
      } finally {
        await iterator.close();
      }
    } catch (cause) {
      throw this.#failure("read", cause);
    }
  }

  /** Registers what must end before the database does. */
  onClose(closer: () => Promise<void>): void {
    this.#closers.push(closer);
  }

  /** Ends what runs on the store, writes what was promised, and frees the directory. */
  close(): Promise<void> {
    return (this.#closing ??= this.#close());
  }

  async #close(): Promise<void> {
    for (const closer of this.#closers) await closer();
    await this.groups.end();
    await this.#recovering;
    await this.database.close();
  }

  #failure(what: string, cause: unknown): StoreError {
    const reason = reasonOf(cause);
    return new StoreError(`the ${this.#kind} store could not ${what}${reason === undefined ? "" : `: ${reason}`}`, {
      cause,
    });
  }

  /**
   * After a failed write the state of the log on disk is unknown, and what is appended behind a torn record is lost at
   * the next start. Opening the database anew reads the log back and begins a fresh one.
   */
  #recover(): Promise<void> {
    this.#isDown = true;
    return (this.#recovering ??= this.#reopen().finally(() => (this.#recovering = undefined)));
  }

  async #reopen(): Promise<void> {
    try {
      await this.database.close();
      await this.database.open();
      this.#isDown = false;
    } catch (cause) {
      // Still no space or no disk: the next use tries again.
      this.#downCause = cause;
    }
  }
}

export interface Entries {
  readonly entries: readonly (readonly [string, Uint8Array])[];
  /** True where nothing within the bounds was left out. */
  readonly isWhole: boolean;
}
