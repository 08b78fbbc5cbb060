/**
 * Checks the files of a LevelDB database before it is opened. Opening drops what is damaged and deletes the file that had it, so damage
 * that is found later can no longer be undone.
 */
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { FormatError } from "./byte-reader.ts";
import { type LogRead, readLog } from "./log-file.ts";
import { type LiveFiles, liveFiles } from "./manifest.ts";
import { checkTable } from "./table-file.ts";

const LOG_NAME = /^(\d{1,15})\.log$/;

/** A file of the database is damaged: data would be missing or wrong. */
export class DamagedFileError extends Error {
  override name = "DamagedFileError";
  readonly file: string;

  constructor(file: string, reason: string) {
    super(`${file} is damaged: ${reason}`);
    this.file = file;
  }
}

export interface TornEnd {
  readonly file: string;
  readonly bytes: number;
}

/**
 * Reads every live file. A file that is missing is left to LevelDB, which refuses to open without it.
 * @returns the ends of logs that are no whole write; the next open drops them
 * @throws DamagedFileError
 */
export async function checkDatabase(dir: string): Promise<readonly TornEnd[]> {
  const manifest = (await bytesOf(join(dir, "CURRENT")))?.toString("latin1").trim();
  if (manifest === undefined || !/^MANIFEST-\d{1,20}$/.test(manifest)) return [];
  const torn: TornEnd[] = [];
  const records = await logOf(join(dir, manifest), torn);
  const live = saying(join(dir, manifest), () => liveFiles(records));
  const names = await readdir(dir);
  // LevelDB deletes a log only after the MANIFEST durably names the next one, and does not notice that a log is missing.
  if (live.firstLog > 0 && !names.some((name) => Number(LOG_NAME.exec(name)?.[1]) === live.firstLog))
    throw new DamagedFileError(join(dir, manifest), `it names the log ${live.firstLog}, which is missing`);
  for (const name of names) {
    const kind = liveKind(name, live);
    if (kind === "log") await logOf(join(dir, name), torn);
    if (kind !== "table") continue;
    const bytes = await bytesOf(join(dir, name));
    if (bytes !== undefined) saying(join(dir, name), () => checkTable(bytes));
  }
  return torn;
}

function liveKind(name: string, { tables, firstLog, previousLog }: LiveFiles): "log" | "table" | undefined {
  const [, digits, ending] = /^(\d{1,15})\.(log|ldb|sst)$/.exec(name) ?? [];
  const number = Number(digits);
  if (ending === "log") return number >= firstLog || number === previousLog ? "log" : undefined;
  return ending !== undefined && tables.has(number) ? "table" : undefined;
}

async function logOf(file: string, torn: TornEnd[]): Promise<LogRead["records"]> {
  const bytes = await bytesOf(file);
  if (bytes === undefined) return [];
  const { records, damagedAt, tornBytes } = readLog(bytes);
  if (damagedAt !== undefined)
    throw new DamagedFileError(file, `the record at byte ${damagedAt} is not what was written`);
  if (tornBytes > 0) torn.push({ file, bytes: tornBytes });
  return records;
}

function saying<T>(file: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof FormatError) throw new DamagedFileError(file, error.message);
    throw error;
  }
}

/** @returns undefined if there is no such file */
async function bytesOf(file: string): Promise<Buffer | undefined> {
  try {
    return await readFile(file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}
