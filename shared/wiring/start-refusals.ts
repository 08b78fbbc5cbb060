/** The checks at a start: errors become codes of the error table, and a data directory that others may read is a warning. */
import { directoryRefusal } from "../adapters/embedded/directory-refusal.ts";
import { makeDirectory } from "../adapters/embedded/make-directory.ts";
import { type StoreKind, StoreOpenError, type StoreOpenReason } from "../adapters/embedded/store-version.ts";
import { portHolder } from "../adapters/system/port-holder.ts";
import type { Registry } from "../engine/ports/registry.ts";
import { CodedError } from "../core/errors/coded-error.ts";
import { refusesStart } from "../core/errors/error-entry.ts";
import type { ThrownCode } from "../core/errors/error-table.ts";
import { statSync } from "node:fs";
import type { Log } from "../engine/ports/log.ts";

const OWNER_ONLY = 0o700;

/** Codes of refusals that say nothing about the stored data, so that no remedy touches the data. */
const DIRECTORY_CODES = {
  locked: "RT0005",
  inaccessible: "RT0900",
  "not-a-directory": "RT0901",
  full: "RT0902",
} as const;

const STORE_CODES: Readonly<Record<StoreKind, Readonly<Record<StoreOpenReason, ThrownCode>>>> = {
  meta: {
    ...DIRECTORY_CODES,
    older: "META0010",
    newer: "META0010",
    unversioned: "META0011",
    unreadable: "META0010",
  },
  journal: { ...DIRECTORY_CODES, older: "RT0009", newer: "RT0009", unversioned: "RT0009", unreadable: "RT0009" },
};

/** Converts an error of the opening of a store to a `CodedError`, and returns every other error unchanged. */
export function storeRefusal(kind: StoreKind, error: unknown): unknown {
  if (!(error instanceof StoreOpenError)) return error;
  const reason = error.cause instanceof Error ? ` (${error.cause.message})` : "";
  return new CodedError(STORE_CODES[kind][error.reason], `${error.message}${reason}`, { cause: error });
}

/** The stores may be elsewhere, by settings of their own. @throws Error of the file system */
export async function makeDataDirectory(directory: string): Promise<void> {
  await makeDirectory(directory, OWNER_ONLY);
}

/** Converts an error of the operating system about a file of the data directory to a `CodedError`, and returns every other error. */
export function fileRefusal(directory: string, error: unknown): unknown {
  const reason = isDirectoryInPlace(error) ? "inaccessible" : directoryRefusal(error);
  if (reason === undefined) return error;
  return new CodedError(DIRECTORY_CODES[reason], `${directory}: ${(error as Error).message}`, { cause: error });
}

/** In the place of a file of a database, a directory is damage. Node has a code of its own for it when it removes a file. */
function isDirectoryInPlace(error: unknown): boolean {
  return error instanceof Error && "code" in error && (error.code === "EISDIR" || error.code === "ERR_FS_EISDIR");
}

/**
 * Without this check the process would start, and refuse every call with a less precise error.
 * @throws CodedError META0005 if the registry is unreadable
 */
export async function readableRegistry(registry: Registry): Promise<void> {
  try {
    await registry.deployments();
  } catch (cause) {
    throw new CodedError("META0005", cause instanceof Error ? cause.message : String(cause), { cause });
  }
}

/** Names the process that uses a busy port, if the system shows it. @param host as configured */
export async function bindRefusal(host: string, port: number, cause: unknown): Promise<CodedError> {
  const reason = cause instanceof Error ? cause.message : String(cause);
  const isBusy = cause instanceof Error && "code" in cause && cause.code === "EADDRINUSE";
  const holder = isBusy ? await portHolder(port) : undefined;
  const user = holder === undefined ? "" : `; the port is used by ${holder}`;
  return new CodedError("RT0004", `${host}:${port}: ${reason}${user}`, { cause });
}

/** The reason of a refused start, for modules that cannot import the error class. */
export interface StartRefusal {
  readonly code: string;
  /** `[CODE] Title: detail`. */
  readonly message: string;
}

/** True for an error that ends the process, for modules that cannot import the error class. */
export function isStartRefusal(error: unknown): error is CodedError {
  return error instanceof CodedError && refusesStart(error.entry.outcome);
}

const GROUP_AND_OTHERS = 0o077;

/** A new directory is readable by its owner alone; an existing one keeps its mode, because other programs may rely on it. */
export function warnWhereReadable(directory: string, log: Log): void {
  // Windows does not use these permission bits.
  if (process.platform === "win32" || (statSync(directory).mode & GROUP_AND_OTHERS) === 0) return;
  log.write("data-directory.exposed", {
    directory,
  });
}
