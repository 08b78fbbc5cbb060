/** Failures of attempts that added no entry: a bounded ring of event items beside the journal, and the runs of equal failures. */
import type { Invocation } from "../../core/invocation/invocation.ts";
import { failureRuns, type FailureRun } from "../../core/invocation/repeats.ts";
import type { AttemptFailure } from "../../core/model/attempt-failure.ts";
import { decode } from "../../core/model/proto3-decode.ts";
import { encode } from "../../core/model/proto3-encode.ts";
import type { Engine } from "../engine.ts";
import type { ActiveInvocation } from "../local/active-invocation.ts";
import { EVENTS, eventKey } from "../store/item-keys.ts";
import type { Loaded } from "../store/load.ts";
import { keepUntilS } from "../store/ttl.ts";
import { readPartition } from "../store/read-partition.ts";
import { ENVELOPE_BYTES, opened, sealed } from "../store/record-envelope.ts";
import { attemptFailureFromStored, attemptFailureToStored, StoredAttemptFailure } from "../store/stored-values.ts";

/** In characters. Each failed attempt writes an event, which should stay within one write unit: 1 KB with its keys. */
const MESSAGE_MAX = 500;

/** Leaves out the stack trace: the lease record or a segment has the stack trace of the last failure. */
function bounded(failure: AttemptFailure): AttemptFailure {
  const { stacktrace: _, mismatch: __, deploymentId: ___, ...kept } = failure;
  return { ...kept, message: failure.message.slice(0, MESSAGE_MAX) };
}

export async function noteFailure(engine: Engine, active: ActiveInvocation, failure: AttemptFailure): Promise<void> {
  const { acceptance, attempts } = active.invocation;
  await active.ownAcceptance?.settle();
  const b = sealed(encode(StoredAttemptFailure, attemptFailureToStored(bounded(failure)), ENVELOPE_BYTES));
  const expiresAtS = keepUntilS(engine.settings, acceptance, engine.clock.nowMs());
  active.countWrite();
  await engine.table.put({ ...eventKey(active.pk, acceptance.nonce, attempts), b, expiresAtS });
}

/** Reads the failure events of one life, the oldest first. */
export async function readFailures(engine: Engine, pk: string, nonce: string): Promise<readonly AttemptFailure[]> {
  const items = await readPartition(engine.table, pk, EVENTS);
  return items
    .filter(({ sk }) => sk.startsWith(`try#${nonce}#`))
    .map(({ sk, b }) => attemptFailureFromStored(decode(StoredAttemptFailure, opened(b, `event ${sk}`))))
    .sort((a, b) => a.atMs - b.atMs);
}

/**
 * All failed attempts as runs of equal failures, the oldest first: failures in segments, in events, and the last one, of which a
 * driver or the lease record knows.
 * @param aside the failures of attempts that added no entry
 */
export function runsOf(
  { failures, repeats }: Pick<Loaded, "failures" | "repeats">,
  aside: readonly AttemptFailure[],
  { lastFailure }: Pick<Invocation, "lastFailure">,
): readonly FailureRun[] {
  const stored = [...failures, ...aside];
  const isStored = lastFailure === undefined || stored.some(({ atMs }) => atMs === lastFailure.atMs);
  return failureRuns(isStored ? stored : [...stored, lastFailure], repeats);
}
