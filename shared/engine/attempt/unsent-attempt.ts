/** Fails attempts that cannot reach a deployment: without a route, without a common version, or with an invalid request. */
import { journalBytes } from "../../core/invocation/journal.ts";
import type { AttemptEnded } from "../../core/invocation/event.ts";
import type { AttemptSpan, Pin, Consumption } from "../../core/invocation/segment.ts";
import type { Route } from "../../core/model/deployment.ts";
import { journalMaxBytes } from "../bulkheads/journal-limit.ts";
import { failed } from "./attempt-failures.ts";
import type { Failing } from "./attempt-failures.ts";
import type { Engine } from "../engine.ts";
import type { ActiveInvocation } from "../local/active-invocation.ts";
import { jitter } from "../ports/id-source.ts";

/**
 * @param consumed the arrivals for the attempt. The segment of the attempt lists them; otherwise a fresh cancel would start
 * attempts for ever
 */
export function unroutable(
  engine: Engine,
  active: ActiveInvocation,
  startedAtMs: number,
  consumed: readonly Consumption[],
  route: Route | undefined,
): AttemptEnded {
  const { pin } = active.invocation;
  const { service } = active.invocation.acceptance.target;
  const why: Failing =
    route === undefined
      ? { errorCode: "RT0011", code: 500, message: "no deployment was found to process the invocation" }
      : pin === undefined
        ? {
            errorCode: "RT0013",
            code: 500,
            message: `the deployment of '${service}' speaks no protocol version of this server`,
          }
        : {
            errorCode: "RT0014",
            code: 500,
            message: `protocol version ${pin.protocolVersion} of this invocation is no longer supported`,
          };
  return neverBegun(engine, active, startedAtMs, consumed, why, route);
}

/** Fails an attempt whose request could not be sent, because a value does not fit the protocol or the destination is invalid. */
export function unsent(
  engine: Engine,
  active: ActiveInvocation,
  startedAtMs: number,
  consumed: readonly Consumption[],
  error: unknown,
  route: Route,
): AttemptEnded {
  const reason = error instanceof Error ? error.message : String(error);
  engine.log.write("attempt.send-failed", { invocationId: active.id, error: String(error) });
  const why: Failing = { errorCode: "RT0006", code: 500, message: `the request could not be sent: ${reason}` };
  return neverBegun(engine, active, startedAtMs, consumed, why, route);
}

/**
 * Fails an attempt of an invocation with a full journal, if each waiting result is larger than the bytes by which the journal may
 * still grow. The invocation is paused at once, because no further attempt could get such a result.
 */
export function overfull(
  engine: Engine,
  active: ActiveInvocation,
  startedAtMs: number,
  consumed: readonly Consumption[],
  sizeBytes: number,
  route: Route,
): AttemptEnded {
  const heldBytes = journalBytes(active.invocation.journal);
  const maxBytes = journalMaxBytes(engine.bulkheads);
  const message = `a result of ${sizeBytes} bytes waits, the journal has ${heldBytes} bytes, and both together may have ${maxBytes} (twice worker.invoker.journals-size-limit, and 128 MiB at least): raise that limit or memory-size and resume the invocation, or kill it`;
  const why: Failing = { errorCode: "RT0027", code: 500, message, behavior: "pause" };
  return neverBegun(engine, active, startedAtMs, consumed, why, route);
}

/** The retry policy counts the attempt like any other, but the number of retries since the last entry does not include it. */
function neverBegun(
  engine: Engine,
  active: ActiveInvocation,
  startedAtMs: number,
  consumed: readonly Consumption[],
  why: Failing,
  route: Route | undefined,
): AttemptEnded {
  const { pin } = active.invocation;
  const atMs = engine.clock.nowMs();
  return {
    kind: "attempt-ended",
    atMs,
    attempt: spanOf(active, startedAtMs, atMs),
    pin: pin ?? { deploymentId: "" as Pin["deploymentId"], protocolVersion: 0 },
    sent: consumed,
    entries: [],
    ending: failed(atMs, { ...why, countsSinceEntry: false }),
    policy: route?.settings.retry ?? engine.settings.defaults.retry,
    jitter: jitter(engine),
  };
}

export function spanOf(active: ActiveInvocation, startedAtMs: number, endedAtMs: number): AttemptSpan {
  return { number: active.invocation.attempts, startedAtMs, endedAtMs };
}
