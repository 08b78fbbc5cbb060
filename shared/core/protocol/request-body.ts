/** Builds the body of an attempt's request: the start message, then the journal exactly as stored. */
import { CONTROL, StartMessage } from "./control-messages.ts";
import { messageFrame } from "./frame.ts";
import type { ProtocolVersion } from "./version.ts";

export interface StartFields {
  /** The 24 bytes of the invocation id. */
  readonly id: Uint8Array;
  /** The invocation id as text. */
  readonly debugId: string;
  /** The object key or workflow id. */
  readonly key?: string | undefined;
  readonly state: readonly { readonly key: Uint8Array; readonly value: Uint8Array }[];
  /** True if keys may exist that `state` does not contain. Also true for a plain service, whose `state` is empty. */
  readonly partialState: boolean;
  readonly retryCount: number;
  readonly durationMs: number;
  /** Unsigned, 64 bits; not sent to V5, which derives its seed from `id`. */
  readonly randomSeed: bigint;
  /** `scope`, `limitKey` and `idempotencyKey` are sent to V7 only. */
  readonly scope?: string | undefined;
  readonly limitKey?: string | undefined;
  readonly idempotencyKey?: string | undefined;
}

export interface RequestJournal {
  readonly version: ProtocolVersion;
  readonly start: StartFields;
  /** The stored entries in order; each element is one or more raw frames. */
  readonly frames: readonly Uint8Array[];
  /** The number of commands and notifications in `frames`: at least 1, the input. */
  readonly knownEntries: number;
}

/**
 * @returns the pieces of the body in order
 * @throws RangeError if there are no entries, Proto3Error if a number is out of range
 */
export function requestBody({ version, start, frames, knownEntries }: RequestJournal): Uint8Array[] {
  if (knownEntries < 1) throw new RangeError("a request carries at least the input entry");
  const onlyV7 =
    version >= 7 ? { scope: start.scope, limitKey: start.limitKey, idempotencyKey: start.idempotencyKey } : {};
  const opening = messageFrame(CONTROL.Start, StartMessage, {
    id: start.id,
    debugId: start.debugId,
    knownEntries,
    stateMap: start.state,
    partialState: start.partialState,
    key: start.key,
    retryCountSinceLastStoredEntry: start.retryCount,
    durationSinceLastStoredEntryMs: start.durationMs,
    randomSeed: version >= 6 ? start.randomSeed : undefined,
    ...onlyV7,
  });
  return [opening, ...frames];
}
