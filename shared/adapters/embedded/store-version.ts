/** The VERSION file of a store directory. It states the format of the store and is checked before any other read. */
import { open, readFile, readdir, rename } from "node:fs/promises";
import { join } from "node:path";
import { directoryRefusal, type DirectoryRefusal } from "./directory-refusal.ts";
import { makeDirectory } from "./make-directory.ts";

export type StoreKind = "meta" | "journal";

/** The format that this program writes and reads. The number grows with each change of the stored bytes (ADR 0020). */
export const STORE_FORMAT: Readonly<Record<StoreKind, number>> = { meta: 1, journal: 3 };

const FILE = "VERSION";
const UNFINISHED = "VERSION.new";
/** The mode of new directories: they contain inputs, results, and the secret from which Stepwell derives ids, in plain form. */
const OWNER_ONLY = 0o700;

export type StoreOpenReason =
  /** A living process has the store open. */
  | "locked"
  /** An older program wrote the store. */
  | "older"
  /** A newer program wrote the store. */
  | "newer"
  /** The directory is not empty and has no VERSION. */
  | "unversioned"
  /** The store is damaged, or is of the other kind. */
  | "unreadable"
  /** The operating system refuses access to the directory, whatever the directory contains. */
  | DirectoryRefusal;

export class StoreOpenError extends Error {
  override name = "StoreOpenError";
  readonly reason: StoreOpenReason;
  readonly dir: string;
  /** The format of the store; undefined if none was found. */
  readonly found: number | undefined;
  readonly expected: number;

  constructor(
    reason: StoreOpenReason,
    dir: string,
    message: string,
    versions: { found?: number; expected: number },
    options?: ErrorOptions,
  ) {
    super(message, options);
    this.reason = reason;
    this.dir = dir;
    this.found = versions.found;
    this.expected = versions.expected;
  }
}

/**
 * Checks that the directory is a store of this kind and format. Creates such a store in an absent or empty directory.
 * @throws StoreOpenError for every reason but "locked"
 */
export async function claimFormat(dir: string, kind: StoreKind): Promise<void> {
  const expected = STORE_FORMAT[kind];
  const text = await readVersion(dir, expected);
  if (text === undefined) return await writeVersion(dir, kind);
  const version = parsed(text);
  if (version === undefined)
    throw new StoreOpenError("unreadable", dir, `${join(dir, FILE)} is not what a store's VERSION looks like`, {
      expected,
    });
  const { format: found } = version;
  if (version.kind !== kind)
    throw new StoreOpenError("unreadable", dir, `${dir} is a ${version.kind} store, not a ${kind} store`, {
      found,
      expected,
    });
  if (found === expected) return;
  const reason = found < expected ? "older" : "newer";
  const message = `${dir} has format ${found}, and this program reads the format ${expected}`;
  throw new StoreOpenError(reason, dir, message, { found, expected });
}

/** @returns undefined if the directory is new: empty, or with only the leftovers of a crashed creation */
async function readVersion(dir: string, expected: number): Promise<string | undefined> {
  try {
    await makeDirectory(dir, OWNER_ONLY);
    const names = await readdir(dir);
    if (names.includes(FILE)) return await readFile(join(dir, FILE), "utf8");
    if (names.every((name) => name === UNFINISHED)) return undefined;
  } catch (cause) {
    const reason = directoryRefusal(cause) ?? "unreadable";
    throw new StoreOpenError(reason, dir, `${dir} cannot be opened`, { expected }, { cause });
  }
  throw new StoreOpenError("unversioned", dir, `${dir} is not empty and has no ${FILE}, so it is not a store`, {
    expected,
  });
}

function parsed(text: string): { readonly format: number; readonly kind: string } | undefined {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value !== "object" || value === null || !("format" in value) || !("kind" in value)) return undefined;
    const { format, kind } = value;
    return Number.isSafeInteger(format) && typeof kind === "string" ? { format: format as number, kind } : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Writes this program's format before any data. A rename makes VERSION as a whole, so a crash leaves no file or the whole one.
 * @throws StoreOpenError if VERSION cannot be written
 */
async function writeVersion(dir: string, kind: StoreKind): Promise<void> {
  const expected = STORE_FORMAT[kind];
  try {
    const file = await open(join(dir, UNFINISHED), "w");
    try {
      await file.writeFile(`${JSON.stringify({ format: expected, kind })}\n`);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(join(dir, UNFINISHED), join(dir, FILE));
    await syncDirectory(dir);
  } catch (cause) {
    const reason = directoryRefusal(cause) ?? "unreadable";
    throw new StoreOpenError(reason, dir, `${dir} cannot be written`, { expected }, { cause });
  }
}

async function syncDirectory(dir: string): Promise<void> {
  // Windows cannot open a directory; there the rename alone must be enough.
  if (process.platform === "win32") return;
  const handle = await open(dir, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
