/** Formats an invocation for `GET /invocations/{id}`. */
import type { Failure } from "../../../core/model/failure.ts";
import { durationText } from "../../../core/model/duration.ts";
import { targetText } from "../../../core/model/target.ts";
import type {
  InvocationView,
  MismatchSide,
  MismatchView,
  AttemptView,
  EntryView,
  UsageView,
} from "../../../engine/ports/submission.ts";
import {
  ENTRIES_MAX_CHARS,
  VALUES_MAX_BYTES,
  VALUE_MAX_BYTES,
  type AttemptSpanBody,
  type EntryBody,
  type InvocationBody,
  type MismatchBody,
  type MismatchSideBody,
  type UsageBody,
  type ValueBody,
} from "../../contract/invocations.ts";
import { momentText, present, written } from "../requests/json-members.ts";
import { attemptFailureBody, pauseBody, waitBody } from "./wait-body.ts";

/** @param limit the maximum number of entries that the client asked for; with it, the size of the entries is bounded too */
export function invocationBody(view: InvocationView, limit?: number): InvocationBody {
  const { target, invokedBy } = view;
  return {
    id: view.id,
    target: targetText(target),
    target_service_name: target.service,
    ...present({ target_service_key: target.key, scope: target.scope, limit_key: view.limitKey }),
    target_handler_name: target.handler,
    status: view.status,
    created_at: momentText(view.createdAtMs),
    modified_at: momentText(view.modifiedAtMs),
    ...present({
      completed_at: written(view.completedAtMs, momentText),
      outcome: view.outcome,
      idempotency_key: view.idempotencyKey,
      created_by: view.createdBy,
      priority: view.priority,
      start_by: written(view.startByMs, momentText),
      end_by: written(view.endByMs, momentText),
      singleton_key: view.singletonKey,
      invoked_by: written(invokedBy, ({ invocationId, target: caller }) => ({
        invocation_id: invocationId,
        ...present({ target: caller }),
      })),
      restarted_from: view.restartedFrom,
      last_action: written(view.lastAct, ({ kind, atMs, by }) => ({
        action: kind,
        at: momentText(atMs),
        ...present({ by }),
      })),
      pinned_deployment_id: view.pinnedDeploymentId,
      pinned_service_protocol_version: view.protocolVersion,
    }),
    ...present({
      deployment: written(view.deployment, ({ id, address }) => ({ id, ...present({ address }) })),
    }),
    attempts: view.attempts,
    ...present({
      next_retry_at: written(view.nextRetryAtMs, momentText),
      wake_at: written(view.wakeAtMs, momentText),
      silent_since: written(view.silentSinceMs, momentText),
      queue: written(view.queue, ({ place, holderId }) => ({ place, ...present({ held_by: holderId }) })),
      waits_for: view.waitsFor?.map(waitBody),
      pause: written(view.pause, pauseBody),
      last_failure: written(view.lastFailure, attemptFailureBody),
      mismatch: written(view.mismatch, mismatchBody),
      completion_failure: written(view.failure, failureBody),
    }),
    completion_retention: durationText(view.completionRetentionMs),
    journal_retention: durationText(view.journalRetentionMs),
    ...present({ traceparent: view.traceparent }),
    entry_count: view.entryCount,
    entries: entryBodies(view.entries, limit),
    attempt_spans: view.attemptsStored.map(attemptSpanBody),
    events: view.events.map(attemptFailureBody),
    ...present({ usage: written(view.usage, usageBody) }),
  };
}

function entryBodies(entries: readonly EntryView[], limit: number | undefined): readonly EntryBody[] {
  const writeValue = valueWriter(limit === 1 ? VALUES_MAX_BYTES : undefined);
  if (limit === undefined) return entries.map((entry) => entryBody(entry, writeValue));
  const bodies: EntryBody[] = [];
  let chars = 0;
  for (const entry of entries) {
    const body = entryBody(entry, writeValue);
    chars += JSON.stringify(body).length;
    // The answer contains the first entry whatever its size, so that a client that pages through the journal makes progress.
    if (chars > ENTRIES_MAX_CHARS && bodies.length > 0) break;
    bodies.push(body);
  }
  return bodies;
}

function attemptSpanBody({ number, startedAtMs, endedAtMs, fromEntry, deploymentId }: AttemptView): AttemptSpanBody {
  return {
    attempt: number,
    started_at: momentText(startedAtMs),
    ended_at: momentText(endedAtMs),
    entry: fromEntry,
    ...present({ deployment_id: deploymentId }),
  };
}

function usageBody({ items, bytes, writeUnits, exchanges, exchangeMs }: UsageView): UsageBody {
  return { items, bytes, write_units: writeUnits, exchanges, exchange_ms: exchangeMs };
}

function entryBody(entry: EntryView, writeValue: (value: Uint8Array) => ValueBody): EntryBody {
  const { index, type, name, atMs, isReceiptUnknown, key, target, signal, completes, failed } = entry;
  const more = { invocation_id: entry.invocationId, signal, wake_at: written(entry.wakeAtMs, momentText) };
  const value = written(entry.value, writeValue);
  return {
    index,
    type,
    at: momentText(atMs),
    ...present({ at_or_before: isReceiptUnknown, name, key, target, ...more, completes, failed, value }),
  };
}

function failureBody(failure: Failure): NonNullable<InvocationBody["completion_failure"]> {
  const { code, message, stacktrace, metadata } = failure;
  const pairs = metadata?.map(({ key, value }) => [key, value] as const);
  return {
    code,
    message,
    ...present({ metadata: written(pairs, (all) => Object.fromEntries(all)), stacktrace }),
  };
}

function mismatchBody({ entry, rows, journal, code, waysOut }: MismatchView): MismatchBody {
  return {
    entry,
    rows,
    ...present({ journal: written(journal, ({ atMs, ...side }) => ({ ...sideBody(side), at: momentText(atMs) })) }),
    code: sideBody(code),
    ways_out: waysOut,
  };
}

function sideBody({ deploymentId, revision, address }: MismatchSide): MismatchSideBody {
  return { deployment_id: deploymentId, ...present({ revision, address }) };
}

/**
 * JSON writes each byte of a text as at most two bytes, because a value with any control character other than \n, \r and \t
 * becomes base64.
 */
const GROWTH_MAX = 2;
/** The base64 of a single byte. */
const ENCODED_MIN_BYTES = 4;
const SHORT_ESCAPES = /[\n\r\t]/g;

/**
 * @param valueMaxBytes the largest part of one value
 * @returns a function that writes one value after the other; what exceeds the bound is cut
 */
export function valueWriter(valueMaxBytes = VALUE_MAX_BYTES): (value: Uint8Array) => ValueBody {
  let leftBytes = VALUES_MAX_BYTES;
  return (value) => {
    const room = leftBytes < ENCODED_MIN_BYTES ? 0 : Math.floor(leftBytes / GROWTH_MAX);
    const takenBytes = Math.min(value.length, valueMaxBytes, room);
    const isCut = takenBytes < value.length;
    const cut = isCut ? ({ cut: true } as const) : {};
    if (isCut && takenBytes === 0) return { size: value.length, ...cut };
    const taken = value.subarray(0, takenBytes);
    const text = textOf(taken, isCut);
    if (text === undefined) {
      const base64 = Buffer.from(taken).toString("base64");
      leftBytes -= base64.length;
      return { size: value.length, base64, ...cut };
    }
    leftBytes -= Buffer.byteLength(JSON.stringify(text)) - '""'.length;
    return { size: value.length, text, ...cut };
  };
}

/** @param isCut whether the bytes may end within a character; such an incomplete character is left out */
function textOf(bytes: Uint8Array, isCut: boolean): string | undefined {
  try {
    const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes, { stream: isCut });
    return /\p{Cc}/u.test(text.replaceAll(SHORT_ESCAPES, "")) ? undefined : text;
  } catch {
    return undefined;
  }
}
