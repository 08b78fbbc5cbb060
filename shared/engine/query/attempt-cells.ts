/** The cells of an invocation about its attempts: their count, the last one's start, deployment and server, and its failure. */
import type { Invocation } from "../../core/invocation/invocation.ts";
import type { AttemptFailure } from "../../core/model/attempt-failure.ts";
import type { CellValue } from "../../core/query/table-shape.ts";
import type { Presented } from "../../core/query/status-words.ts";
import type { Engine } from "../engine.ts";
import type { ActiveInvocation } from "../local/active-invocation.ts";
import { commandPlaces } from "../operate/entry-view.ts";
import { presentedStatus } from "../operate/inspect.ts";
import type { Loaded } from "../store/load.ts";

type Cells = Readonly<Record<string, CellValue | undefined>>;

/** Statuses in which an invocation has no attempts to show: it has not begun, or it has ended. */
export const WITHOUT_ATTEMPTS: ReadonlySet<Presented> = new Set(["completed", "scheduled", "pending"]);

/** @param servers the SDK that each deployment announced, by deployment */
export function attemptCells(
  engine: Engine,
  loaded: Loaded,
  invocation: Invocation,
  servers: ReadonlyMap<string, string>,
): Cells {
  const status = presentedStatus(engine, loaded);
  if (WITHOUT_ATTEMPTS.has(status)) return {};
  const { phase, lastFailure } = invocation;
  const active = engine.activeInvocations.find(invocation.acceptance.id);
  const deploymentId = lastDeployment(status, loaded, invocation, active);
  return {
    retry_count: retryCount(status, invocation),
    last_attempt_deployment_id: deploymentId,
    last_attempt_server: deploymentId === undefined ? undefined : servers.get(deploymentId),
    last_start_at: lastStart(status, loaded, invocation, active),
    next_retry_at: phase.status === "backing-off" ? phase.retryAtMs : undefined,
    ...(lastFailure && failureCells(lastFailure, invocation)),
  };
}

/**
 * The attempts since the last start, suspension, pause or resume, as the reference server counts them: each failed attempt
 * counts, and so does the running one. Replays after an await do not count. A suspension or a pause ends the count.
 */
function retryCount(status: Presented, { retries, attempts }: Invocation): number | undefined {
  if (status === "suspended" || status === "paused") return undefined;
  const failed = Math.max(retries.policyAttempts, retries.sinceEntry);
  return Math.min(failed + (status === "running" ? 1 : 0), Math.max(attempts, 1));
}

/** @returns undefined if no stored item names the deployment, as for a first attempt that runs in another process or was cut short */
function lastDeployment(
  status: Presented,
  { last }: Loaded,
  { pin, lastFailure }: Invocation,
  active: ActiveInvocation | undefined,
): string | undefined {
  const current = active?.attempt.deploymentId;
  if (current !== undefined || status === "running") return current ?? pin?.deploymentId;
  const segment = last?.segment;
  // An order or a copied journal sets the pin of the next attempt, not of the last one.
  const isAhead = segment?.pin !== undefined && segment.attempt === undefined;
  return (isAhead ? last?.before.pin : pin)?.deploymentId ?? lastFailure?.deploymentId;
}

/**
 * @returns undefined if no stored item has the moment: the start of an attempt that runs in another process, or that was cut
 *   short without an entry
 */
function lastStart(
  status: Presented,
  { last }: Loaded,
  { lastFailure, segmentIndex }: Invocation,
  active: ActiveInvocation | undefined,
): number | undefined {
  const startedAtMs = active?.attempt.exchange?.startedAtMs;
  if (startedAtMs !== undefined || status === "running" || status === "ready") return startedAtMs;
  const attempt = last?.segment.index === segmentIndex ? last.segment.attempt : undefined;
  if (lastFailure?.startedAtMs !== undefined) return Math.max(lastFailure.startedAtMs, attempt?.startedAtMs ?? 0);
  const isLast = attempt !== undefined && (lastFailure === undefined || lastFailure.atMs <= attempt.endedAtMs);
  return isLast ? attempt.startedAtMs : undefined;
}

function failureCells(failure: AttemptFailure, { journal }: Invocation): Cells {
  const { code, message, stacktrace, errorCode, relatedCommand } = failure;
  const { index, name, type } = relatedCommand ?? {};
  const text = `[${code === 500 ? "500 Internal" : code}] ${message}`;
  return {
    last_failure: stacktrace === undefined ? text : `${text}\n${stacktrace}`,
    last_failure_error_code: errorCode,
    last_failure_related_command_index: index,
    last_failure_related_command_name: name,
    last_failure_related_command_type: type,
    last_failure_related_entry_index: index === undefined ? undefined : entryIndex(index, journal),
    last_failure_related_entry_name: name,
    last_failure_related_entry_type: type,
  };
}

/** A command that is not stored yet comes after all stored entries. */
function entryIndex(command: number, { entries, commandCount }: Invocation["journal"]): number | undefined {
  return command === commandCount ? entries.length : commandPlaces(entries)[command];
}
