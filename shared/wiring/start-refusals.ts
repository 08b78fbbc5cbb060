/** Converts errors at start to codes of the error table. */
import { StoreOpenError } from "../adapters/embedded/store-version.ts";
import type { StoreKind, StoreOpenReason } from "../adapters/embedded/store-version.ts";
import type { Registry } from "../engine/ports/registry.ts";
import { CodedError } from "../core/errors/coded-error.ts";
import { refusesStart } from "../core/errors/error-entry.ts";
import type { ThrownCode } from "../core/errors/error-table.ts";

const STORE_CODES: Readonly<Record<StoreKind, Readonly<Record<StoreOpenReason, ThrownCode>>>> = {
  meta: {
    locked: "RT0005",
    older: "META0010",
    newer: "META0010",
    unversioned: "META0011",
    unreadable: "META0010",
  },
  journal: { locked: "RT0005", older: "RT0009", newer: "RT0009", unversioned: "RT0009", unreadable: "RT0009" },
};

/** Returns errors unrelated to opening a store unchanged. */
export function storeRefusal(kind: StoreKind, error: unknown): unknown {
  if (!(error instanceof StoreOpenError)) return error;
  const reason = error.cause instanceof Error ? ` (${error.cause.message})` : "";
  return new CodedError(STORE_CODES[kind][error.reason], `${error.message}${reason}`, { cause: error });
}

/** @throws CodedError META0005 if the registry is unreadable; a started process would refuse every call less precisely. */
export async function readableRegistry(registry: Registry): Promise<void> {
  try {
    await registry.deployments();
  } catch (cause) {
    throw new CodedError("META0005", cause instanceof Error ? cause.message : String(cause), { cause });
  }
}

/** @param address host and port as configured */
export function bindRefusal(address: string, cause: unknown): CodedError {
  const reason = cause instanceof Error ? cause.message : String(cause);
  return new CodedError("RT0004", `${address}: ${reason}`, { cause });
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
