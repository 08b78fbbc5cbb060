/** The cells of an invocation that need its whole partition: acceptance, attempts and end. */
import { endOutcome } from "../../core/invocation/end-outcome.ts";
import type { Invocation } from "../../core/invocation/invocation.ts";
import { type Await, awaitedCompletions } from "../../core/model/await-tree.ts";
import type { AttemptFailure } from "../../core/model/attempt-failure.ts";
import { type InvocationId, invocationIdBytes } from "../../core/model/ids.ts";
import type { CellValue } from "../../core/query/table-shape.ts";
import type { Engine } from "../engine.ts";
import { knownNow } from "../operate/known-now.ts";
import type { Loaded } from "../store/load.ts";
import { presentedStatus } from "../operate/inspect.ts";
import { traceIdOf } from "../traces.ts";

type Cells = Readonly<Record<string, CellValue | undefined>>;

export function invocationCells(engine: Engine, loaded: Loaded): Cells {
  const invocation = knownNow(engine, loaded);
  return {
    ...acceptanceCells(engine, invocation),
    last_action: loaded.lastAct?.kind,
    last_action_at: loaded.lastAct?.atMs,
    last_action_by: loaded.lastAct?.by,
    outcome: endOutcome(invocation, loaded.isCancelled),
    ...standingCells(invocation),
    ...attemptCells(engine, loaded, invocation),
  };
}

/** The first eight bytes of the id, as clients of these tables expect. */
export function partitionKey(id: InvocationId): bigint {
  const bytes = invocationIdBytes(id);
  return new DataView(bytes.buffer, bytes.byteOffset, 8).getBigUint64(0);
}

const INVOKERS = { ingress: "ingress", call: "service", send: "service", restart: "restart_as_new" } as const;

function acceptanceCells(engine: Engine, { acceptance, journal, modifiedAtMs, pin }: Invocation): Cells {
  const { source, startAtMs } = acceptance;
  const caller = "callerId" in source ? source : undefined;
  return {
    idempotency_key: acceptance.idempotencyKey,
    created_by: acceptance.createdBy,
    invoked_by: INVOKERS[source.kind],
    restarted_from: source.kind === "restart" ? source.formerId : undefined,
    invoked_by_id: caller?.callerId,
    invoked_by_target: caller?.callerTarget,
    invoked_by_service_name: caller?.callerTarget.split("/")[0],
    pinned_deployment_id: pin?.deploymentId,
    pinned_service_protocol_version: pin?.protocolVersion,
    trace_id: traceIdOf(engine, acceptance),
    journal_size: journal.entries.length,
    journal_commands_size: journal.commandCount,
    modified_at: modifiedAtMs,
    scheduled_at: startAtMs === undefined ? undefined : acceptance.createdAtMs,
    scheduled_start_at: startAtMs,
    completion_retention: acceptance.completionRetentionMs,
    journal_retention: acceptance.journalRetentionMs,
  };
}

function standingCells({ phase }: Invocation): Cells {
  if (phase.status === "suspended") {
    const { awaiting } = phase;
    return {
      suspended_waiting_for_completions: [...awaitedCompletions(awaiting)],
      suspended_waiting_for_signals: awaitedSignals(awaiting),
    };
  }
  if (phase.status !== "completed") return {};
  const { result, endedAtMs } = phase;
  return {
    completed_at: endedAtMs,
    completion_result: result.kind,
    completion_failure: result.kind === "failure" ? `[${result.failure.code}] ${result.failure.message}` : undefined,
  };
}

function awaitedSignals({ signals, nested }: Await): readonly number[] {
  return [...signals, ...nested.flatMap(awaitedSignals)];
}

function attemptCells(engine: Engine, loaded: Loaded, invocation: Invocation): Cells {
  const status = presentedStatus(engine, loaded);
  const { phase, attempts, lastFailure, pin } = invocation;
  if (status === "completed" || status === "scheduled" || status === "pending" || status === "suspended") return {};
  const exchange = engine.activeInvocations.find(invocation.acceptance.id)?.attempt.exchange;
  return {
    retry_count: attempts,
    last_attempt_deployment_id: pin?.deploymentId ?? exchange?.deploymentId ?? lastFailure?.deploymentId,
    // An attempt that added no entry leaves only its failure, so the moment of the failure is shown as the attempt's start.
    last_start_at: exchange?.startedAtMs ?? lastFailure?.atMs ?? loaded.last?.segment.attempt?.startedAtMs,
    next_retry_at: phase.status === "backing-off" ? phase.retryAtMs : undefined,
    ...(lastFailure && failureCells(lastFailure)),
  };
}

function failureCells(failure: AttemptFailure): Cells {
  const { code, message, stacktrace, errorCode, relatedCommand } = failure;
  const { index, name, type } = relatedCommand ?? {};
  const text = `[${code === 500 ? "500 Internal" : code}] ${message}`;
  return {
    last_failure: stacktrace === undefined ? text : `${text}\n${stacktrace}`,
    last_failure_error_code: errorCode,
    last_failure_related_command_index: index,
    last_failure_related_command_name: name,
    last_failure_related_command_type: type,
    last_failure_related_entry_index: index,
    last_failure_related_entry_name: name,
    last_failure_related_entry_type: type,
  };
}
