/** One store directory: its database, its commit groups, and its recovery after a failed write. */
import { join } from "node:path";
import { ClassicLevel } from "classic-level";
import { StoreError } from "../../engine/ports/table.ts";
import { directoryRefusal } from "./directory-refusal.ts";
import { CommitGroups, type Operation } from "./commit-groups.ts";
import { checkDatabase, DamagedFileError, type TornEnd } from "./leveldb/check-database.ts";
import { roomOf, roomText, type StoreRoom } from "./store-room.ts";
import { STORE_FORMAT, StoreOpenError, claimFormat, type StoreKind } from "./store-version.ts";
import { randomBytes } from "node:crypto";
import { open, rename, rm, stat } from "node:fs/promises";

export type Database = ClassicLevel<string, Uint8Array>;

const ENTRIES_MAX_BYTES = 1024 * 1024;
/**
 * An iterator reserves native memory for as many entries as it is asked for, and keeps that memory until the next garbage
 * collection. The collector does not count this memory. Most reads find few entries, so the first step of a read is short.
 */
const FIRST_STEP_ENTRIES = 32;
const STEP_GROWTH = 8;

export interface StoreOptions {
  readonly kind: StoreKind;
  /** The size of the block cache; 32 MB by default. */
  readonly cacheMaxBytes?: number;
  /** The size at which LevelDB writes its memtable to a table file; 16 MB by default. */
  readonly writeBufferMaxBytes?: number;
  /** Room on the disk with which the store is opened again when the disk is full; none by default. */
  readonly reserveBytes?: number;
}

/**
 * Opens the store in this directory, or creates one in an absent or empty directory. The store belongs to this process
 * until the store is closed or the process ends, even by a crash.
 * @throws StoreOpenError
 */
export async function openStore(dir: string, options: StoreOptions): Promise<Store> {
  await claimFormat(dir, options.kind);
  const versions = { found: STORE_FORMAT[options.kind], expected: STORE_FORMAT[options.kind] };
  const torn = await checked(dir, versions);
  const database: Database = new ClassicLevel(join(dir, "db"), {
    keyEncoding: "utf8",
    valueEncoding: "view",
    cacheSize: options.cacheMaxBytes ?? 32 * 1024 * 1024,
    writeBufferSize: options.writeBufferMaxBytes ?? 16 * 1024 * 1024,
  });
  const reserve = new StoreReserve(dir, options.reserveBytes ?? 0);
  try {
    await openWithRoom(database, dir, reserve);
  } catch (cause) {
    if (isLocked(cause))
      throw new StoreOpenError("locked", dir, `another process has ${dir} open`, versions, { cause });
    const refusal = directoryRefusal(cause);
    if (refusal !== undefined)
      throw new StoreOpenError(refusal, dir, `${dir} cannot be opened`, versions, { cause: rootOf(cause) });
    throw new StoreOpenError("unreadable", dir, `${dir} cannot be opened`, versions, { cause });
  }
  return new Store(dir, options.kind, database, torn, reserve);
}

/** The process that has the store open keeps the reserve, so another process gives nothing up. */
async function openWithRoom(database: Database, dir: string, reserve: StoreReserve): Promise<void> {
  try {
    await database.open();
  } catch (cause) {
    if (isLocked(cause) || !(await makeRoom(dir, reserve))) throw cause;
    await database.open();
  }
}

/**
 * Gives the reserve up if the database needs it to be opened, and if there is room for what comes next: otherwise the next write would
 * fail, and the reserve would be gone.
 */
async function makeRoom(dir: string, reserve: StoreReserve): Promise<boolean> {
  const [bare, room] = await Promise.all([roomOf(dir, 0), roomOf(dir, await reserve.heldBytes())]);
  if (bare === undefined || room === undefined) return false;
  if (bare.freeBytes >= bare.neededBytes || room.freeBytes < room.neededBytes) return false;
  await reserve.giveUp();
  return true;
}

/** @throws StoreOpenError for damage, and for a directory that cannot be read */
async function checked(dir: string, versions: { found: number; expected: number }): Promise<readonly TornEnd[]> {
  try {
    return await checkDatabase(join(dir, "db"));
  } catch (cause) {
    const refusal = directoryRefusal(cause) ?? "unreadable";
    const reason = cause instanceof DamagedFileError ? cause.message : `${dir} cannot be read`;
    throw new StoreOpenError(refusal, dir, reason, versions, { cause });
  }
}

/** The system's error text without the path, because clients may read the message. */
function reasonOf(error: unknown): string | undefined {
  const root = rootOf(error);
  return root instanceof Error ? /: ([A-Za-z][^:/\\]*)$/.exec(root.message)?.[1] : undefined;
}

function rootOf(error: unknown): unknown {
  return error instanceof Error && error.cause instanceof Error ? error.cause : error;
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
  /** The ends of logs that were no whole write when the store was opened, and are dropped. */
  readonly torn: readonly TornEnd[];
  /** Makes one group durable. Tests replace this function to watch, delay or fail writes. */
  writeGroup: (operations: Operation[]) => Promise<void>;
  readonly #closers: (() => Promise<void>)[] = [];
  #isDown = false;
  #downCause: unknown;
  #downRoom: StoreRoom | undefined;
  #recovering: Promise<void> | undefined;
  readonly #reserve: StoreReserve;
  /** Settles when the reserve is taken, or the disk has no room for it. */
  #reserved: Promise<void>;
  #closing: Promise<void> | undefined;

  constructor(dir: string, kind: StoreKind, database: Database, torn: readonly TornEnd[], reserve: StoreReserve) {
    this.dir = dir;
    this.#reserve = reserve;
    this.#reserved = reserve.take();
    this.torn = torn;
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
   * Returns undefined if the store is usable now, the usual case; otherwise a promise that resolves when the store is usable.
   * @throws StoreError if the store is closed, or cannot be reopened after a failed write
   */
  whenUsable(): Promise<void> | undefined {
    if (this.#closing !== undefined) return Promise.reject(new StoreError(`the ${this.#kind} store is closed`));
    if (!this.#isDown) return undefined;
    return this.#recover().then(() => {
      if (this.#isDown) throw this.#failure("be opened again after a failed write", this.#downCause, this.#downRoom);
    });
  }

  /** True after a failed write, until the database is open again. */
  get isDown(): boolean {
    return this.#isDown;
  }

  /** The room on the disk of this store; undefined if the system does not say. */
  async room(): Promise<StoreRoom | undefined> {
    return await roomOf(this.dir, await this.#reserve.heldBytes());
  }

  /** The durable value of a key. @throws StoreError */
  read(key: string): Uint8Array | undefined {
    try {
      return this.database.getSync(key);
    } catch (cause) {
      throw this.#failure("read", cause);
    }
  }

  /** The durable values of many keys, read on another thread. @throws StoreError */
  async readMany(keys: readonly string[]): Promise<readonly (Uint8Array | undefined)[]> {
    try {
      return await this.database.getMany([...keys]);
    } catch (cause) {
      throw this.#failure("read", cause);
    }
  }

  /** The durable entries within the bounds, in key order; fewer than the limit if they are large. @throws StoreError */
  async entries(bounds: { gte: string; lt: string; reverse?: boolean }, limit: number): Promise<Entries> {
    try {
      const iterator = this.database.iterator({ ...bounds, highWaterMarkBytes: ENTRIES_MAX_BYTES, fillCache: true });
      try {
        const entries: [string, Uint8Array][] = [];
        let bytes = 0;
        let step = FIRST_STEP_ENTRIES;
        while (entries.length < limit && bytes < ENTRIES_MAX_BYTES) {
          const more = await iterator.nextv(Math.min(step, limit - entries.length));
          step *= STEP_GROWTH;
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

  /** Registers work that must end before the database closes. */
  onClose(closer: () => Promise<void>): void {
    this.#closers.push(closer);
  }

  /** Ends the work on the store, writes all staged groups, and frees the directory. */
  close(): Promise<void> {
    return (this.#closing ??= this.#close());
  }

  async #close(): Promise<void> {
    for (const closer of this.#closers) await closer();
    await this.groups.end();
    await this.#recovering;
    await this.#reserved;
    await this.database.close();
  }

  #failure(what: string, cause: unknown, room?: StoreRoom): StoreError {
    const reason = reasonOf(cause);
    const isShort = room !== undefined && room.freeBytes < room.neededBytes;
    const why = `${reason === undefined ? "" : `: ${reason}`}${isShort ? `; ${roomText(room)}` : ""}`;
    return new StoreError(`the ${this.#kind} store could not ${what}${why}`, { cause });
  }

  /**
   * After a failed write the state of the log on disk is unknown, and the next start loses all records behind a torn one.
   * Reopening the database reads the log back and begins a new one.
   */
  #recover(): Promise<void> {
    this.#isDown = true;
    return (this.#recovering ??= this.#reopen().finally(() => (this.#recovering = undefined)));
  }

  async #reopen(): Promise<void> {
    try {
      await this.#reserved;
      await this.database.close();
      await makeRoom(this.dir, this.#reserve);
      await this.database.open();
      this.#isDown = false;
      this.#reserved = this.#reserve.take();
    } catch (cause) {
      // The disk may still be full or absent; the next use tries again.
      this.#downCause = cause;
      this.#downRoom = await this.room();
    }
  }
}

export interface Entries {
  readonly entries: readonly (readonly [string, Uint8Array])[];
  /** True if the entries contain everything within the bounds. */
  readonly isWhole: boolean;
}

const SYNCED = { sync: true };

/**
 * A batch that is built operation by operation costs a third of the CPU of a list. But its bytes stay in memory until the
 * next garbage collection, and the collector does not count them. So a larger group is written as a list.
 */
const PIECEWISE_MAX_BYTES = 64 * 1024;

/** Rejects if the database refused the group. */
export async function writeGroup(database: ClassicLevel<string, Uint8Array>, operations: Operation[]): Promise<void> {
  if (bytesOf(operations) > PIECEWISE_MAX_BYTES) return await database.batch(operations, SYNCED);
  const batch = database.batch();
  try {
    for (const operation of operations) {
      if (operation.type === "put") batch.put(operation.key, operation.value);
      else batch.del(operation.key);
    }
  } catch (error) {
    await batch.close();
    throw error;
  }
  await batch.write(SYNCED);
}

function bytesOf(operations: readonly Operation[]): number {
  let bytes = 0;
  for (const operation of operations) {
    bytes += operation.key.length;
    if (operation.type === "put") bytes += operation.value.length;
  }
  return bytes;
}

const FILE = "reserve";
const UNFINISHED = "reserve.new";
const PIECE_BYTES = 256 * 1024;

/** Room on the disk that a store keeps for itself: it gives the room up to be opened again, because a full disk has none for that. */
export class StoreReserve {
  readonly #dir: string;
  readonly #sizeBytes: number;

  /** @param sizeBytes 0 for a store that keeps nothing back */
  constructor(dir: string, sizeBytes: number) {
    this.#dir = dir;
    this.#sizeBytes = sizeBytes;
  }

  /** @returns the size of the reserve on the disk; 0 without one */
  async heldBytes(): Promise<number> {
    if (this.#sizeBytes === 0) return 0;
    return await stat(join(this.#dir, FILE)).then(
      ({ size }) => size,
      () => 0,
    );
  }

  /** Takes the room unless it is taken. A disk without it leaves the store without a reserve until the next call. */
  async take(): Promise<void> {
    if (this.#sizeBytes === 0 || (await this.heldBytes()) >= this.#sizeBytes) return;
    const unfinished = join(this.#dir, UNFINISHED);
    try {
      const file = await open(unfinished, "w", 0o600);
      try {
        // Random bytes, because some file systems give zeros no room.
        const piece = randomBytes(PIECE_BYTES);
        for (let size = 0; size < this.#sizeBytes; size += PIECE_BYTES) await file.write(piece);
      } finally {
        await file.close();
      }
      await rename(unfinished, join(this.#dir, FILE));
    } catch {
      await rm(unfinished, { force: true }).catch(() => undefined);
    }
  }

  async giveUp(): Promise<void> {
    for (const name of [FILE, UNFINISHED]) await rm(join(this.#dir, name), { force: true }).catch(() => undefined);
  }
}
