/** Makes the outcome of a failed attempt, sent or not: error code, status, message, and how the failure counts for retries. */
import type { ErrorCode } from "../../core/errors/error-table.ts";
import { type AttemptFailure, keptName } from "../../core/model/attempt-failure.ts";
import type { AttemptEnded, AttemptOutcome } from "../../core/invocation/event.ts";
import { commandNameOf } from "../../core/protocol/commands.ts";
import type { AttemptError, ReplyEnd as WireEnding } from "../../core/protocol/received.ts";
import { invocationContentType, type ProtocolVersion } from "../../core/protocol/version.ts";
import { DAY_MS } from "../../core/model/time-units.ts";
import type { OpenExchange } from "../local/open-attempt.ts";
import { NoRoomError } from "../local/reply-room.ts";
import { type ExchangeHead, TransportError, type TransportReason } from "../ports/endpoints.ts";
import type { Invocation } from "../../core/invocation/invocation.ts";
import { journalBytes } from "../../core/invocation/journal.ts";
import type { AttemptSpan, Pin } from "../../core/invocation/segment.ts";
import type { Route } from "../../core/model/deployment.ts";
import { journalMaxBytes } from "../bulkheads/bulkheads.ts";
import type { Engine } from "../engine.ts";
import type { ActiveInvocation } from "../local/active-invocation.ts";
import { jitter } from "../ports/id-source.ts";

export interface Failing {
  readonly errorCode: ErrorCode;
  readonly code: number;
  readonly message: string;
  readonly stacktrace?: string;
  readonly relatedCommand?: NonNullable<AttemptFailure["relatedCommand"]>;
  readonly nextRetryDelayMs?: number;
  readonly behavior?: "retry" | "pause" | "fail";
  readonly countsSinceEntry?: boolean;
  readonly ownFault?: true;
}

/** Within this time the store has probably written other replies, so that there is room again. */
const NO_ROOM_RETRY_MS = 5_000;
/** Ten years. Longer delays are cut to it, because a moment beyond the calendar can be neither stored nor shown. */
const DELAY_MAX_MS = 10 * 365 * DAY_MS;

export function failed(atMs: number, failing: Failing): AttemptOutcome {
  const { nextRetryDelayMs, behavior = "retry", countsSinceEntry = true, ownFault, ...facts } = failing;
  const failure: AttemptFailure = { ...facts, atMs };
  return {
    kind: "failed",
    failure,
    behavior,
    countsSinceEntry,
    ...(ownFault === true && { ownFault }),
    ...(nextRetryDelayMs !== undefined && { nextRetryDelayMs: Math.min(nextRetryDelayMs, DELAY_MAX_MS) }),
  };
}

/** The failure of an attempt that waited too long for room for its reply in this server. */
export function failingWithoutRoom({ message }: NoRoomError): Failing {
  return { errorCode: "RT0006", code: 500, message, nextRetryDelayMs: NO_ROOM_RETRY_MS, ownFault: true };
}

/** Converts the ending of the conversation to the outcome of the attempt. */
export function endingOf(atMs: number, ending: WireEnding): AttemptOutcome {
  switch (ending.kind) {
    case "ended":
    case "suspended":
      return ending;
    case "error":
      return failed(atMs, errorOf(ending));
    case "violation":
      return failed(atMs, { errorCode: "RT0012", code: 571, message: `protocol violation: ${ending.message}` });
    case "too-large": {
      const message = `message encoding error: hit message size limit: ${ending.sizeBytes} >= ${ending.limitBytes}`;
      return failed(atMs, { errorCode: "RT0003", code: 500, message });
    }
    case "too-deep": {
      const message = `the handler awaits futures that nest deeper than ${ending.levelsMax} levels`;
      return failed(atMs, { errorCode: "RT0025", code: 500, message, behavior: "pause" });
    }
    case "cut":
      return failed(atMs, { errorCode: "RT0010", code: 500, message: ending.message });
  }
}

const CODES: Readonly<Record<number, ErrorCode>> = { 570: "RT0016", 571: "RT0012" };

function errorOf({ code, message, stacktrace, related, nextRetryDelayMs, behavior }: AttemptError): Failing {
  const { commandIndex, commandName, commandType } = related;
  const type = commandType === undefined ? undefined : commandNameOf(commandType);
  const relatedCommand = {
    ...(commandIndex !== undefined && { index: commandIndex }),
    ...(commandName !== undefined && commandName !== "" && { name: keptName(commandName) }),
    ...(type !== undefined && { type }),
  };
  return {
    errorCode: CODES[code] ?? "RT0007",
    code,
    message,
    behavior,
    ...(stacktrace !== undefined && { stacktrace }),
    ...(nextRetryDelayMs !== undefined && { nextRetryDelayMs }),
    ...(Object.keys(related).length > 0 && { relatedCommand }),
  };
}

/** @returns the failure if the status or the content type of the answer is not the expected one, else undefined */
export function failureOfHead(
  atMs: number,
  { status, headers }: ExchangeHead,
  version: ProtocolVersion,
): AttemptOutcome | undefined {
  const expected = invocationContentType(version);
  const contentType = headers["content-type"];
  if (status === 200) {
    if (contentType === expected) return undefined;
    const message = `unexpected content type '${contentType ?? "None"}'; expected content type "${expected}"`;
    return failed(atMs, { errorCode: "RT0012", code: 500, message });
  }
  switch (status) {
    case 413:
      return failed(atMs, { errorCode: "RT0019", code: 500, message: "service replied with content too large" });
    case 415: {
      const message = `cannot start the invocation because the SDK doesn't support the protocol version '${version}' negotiated at discovery time`;
      return failed(atMs, { errorCode: "RT0015", code: 415, message, countsSinceEntry: false });
    }
    case 429:
    case 503: {
      const nextRetryDelayMs = retryAfterMs(atMs, headers["retry-after"]);
      const message = `service is rate limited due to '${status}'`;
      return failed(atMs, {
        errorCode: "RT0023",
        code: 500,
        message,
        ...(nextRetryDelayMs !== undefined && { nextRetryDelayMs }),
      });
    }
    case 502:
    case 504:
      return failed(atMs, { errorCode: "RT0010", code: 500, message: `service is temporary unavailable '${status}'` });
    default:
      return failed(atMs, { errorCode: "RT0012", code: 500, message: `unexpected http status code: ${status}` });
  }
}

/** @param header seconds or a date @returns undefined if the date is in the past or unreadable */
function retryAfterMs(atMs: number, header: string | undefined): number | undefined {
  if (header === undefined) return undefined;
  if (/^\d{1,9}$/.test(header)) return Number(header) * 1000;
  // One of the three date forms of HTTP ends with the year and names no zone. It always means GMT.
  const dateMs = Date.parse(/ \d{4}$/.test(header) ? `${header} GMT` : header);
  return Number.isNaN(dateMs) || dateMs <= atMs ? undefined : dateMs - atMs;
}

/** The error codes of reasons other than a failed network. */
const CODE_OF_REASON: { readonly [Reason in TransportReason]?: ErrorCode } = {
  throttled: "RT0023",
  flood: "RT0012",
  "too-large": "RT0019",
};

/** The outcome of an attempt whose exchange broke or was aborted by this server. */
export function failureOfTransport(
  atMs: number,
  error: unknown,
  { letGo, abortTimeoutMs }: OpenExchange,
): AttemptOutcome {
  if (letGo === "stopping" || letGo === "lost" || letGo === "deadline") return { kind: "cut" };
  if (letGo === "abort-timeout") {
    const message = `the invocation stream was closed after the 'abort timeout' (${abortTimeoutMs / 1000}s) fired.`;
    return failed(atMs, { errorCode: "RT0001", code: 500, message });
  }
  if (error instanceof TransportError) {
    const { reason, message } = error;
    // A message that is too large stays too large, because a journal only grows. A retry would run the handler in vain.
    const behavior = reason === "too-large" ? "pause" : "retry";
    return failed(atMs, { errorCode: CODE_OF_REASON[reason] ?? "RT0010", code: 500, message, behavior });
  }
  const message = error instanceof Error ? error.message : String(error);
  if (error instanceof NoRoomError) return failed(atMs, failingWithoutRoom(error));
  return failed(atMs, { errorCode: "RT0006", code: 500, message });
}

/** The attempt has no route, or this server and the deployment share no version. */
export function unroutable({ pin, acceptance }: Invocation, route: Route | undefined): Failing {
  const code = 500;
  if (route === undefined)
    return { errorCode: "RT0011", code, message: "no deployment was found to process the invocation" };
  const { service } = acceptance.target;
  if (pin === undefined)
    return {
      errorCode: "RT0013",
      code,
      message: `the deployment of '${service}' speaks no protocol version of this server`,
    };
  const message = `protocol version ${pin.protocolVersion} of this invocation is no longer supported`;
  return { errorCode: "RT0014", code, message };
}

/** The request could not be sent, because a value does not fit the protocol or the destination is invalid. */
export function unsent(error: unknown): Failing {
  const reason = error instanceof Error ? error.message : String(error);
  return { errorCode: "RT0006", code: 500, message: `the request could not be sent: ${reason}` };
}

/**
 * The journal is full, and each waiting result is larger than the bytes by which it may still grow. The invocation is paused at
 * once, because no further attempt could get such a result.
 */
export function overfull({ bulkheads }: Engine, { journal }: Invocation, sizeBytes: number): Failing {
  const heldBytes = journalBytes(journal);
  const maxBytes = journalMaxBytes(bulkheads);
  const message = `a result of ${sizeBytes} bytes waits, the journal has ${heldBytes} bytes, and both together may have ${maxBytes} (twice worker.invoker.journals-size-limit, and 128 MiB at least): raise that limit or memory-size and resume the invocation, or kill it`;
  return { errorCode: "RT0903", code: 500, message, behavior: "pause" };
}

/**
 * Fails an attempt that reached no deployment. The retry policy counts the attempt like any other, but the number of retries since
 * the last entry does not include it.
 * @param sent the arrivals for the attempt. The segment of the attempt lists them; otherwise a fresh cancel would start attempts
 *   for ever
 */
export function neverBegun(
  engine: Engine,
  { invocation }: ActiveInvocation,
  {
    startedAtMs,
    sent,
    route,
  }: Pick<AttemptEnded, "sent"> & { readonly startedAtMs: number; readonly route: Route | undefined },
  why: Failing,
): AttemptEnded {
  const atMs = engine.clock.nowMs();
  return {
    kind: "attempt-ended",
    atMs,
    attempt: spanOf(invocation, startedAtMs, atMs),
    pin: invocation.pin ?? { deploymentId: "" as Pin["deploymentId"], protocolVersion: 0 },
    sent,
    entries: [],
    ending: failed(atMs, { ...why, countsSinceEntry: false }),
    policy: route?.settings.retry ?? engine.settings.defaults.retry,
    jitter: jitter(engine),
  };
}

export function spanOf({ attempts }: Invocation, startedAtMs: number, endedAtMs: number): AttemptSpan {
  return { number: attempts, startedAtMs, endedAtMs };
}
