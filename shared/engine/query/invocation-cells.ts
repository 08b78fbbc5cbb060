/** The cells of an invocation that need its whole partition: acceptance, attempts and end. */
import { endOutcome } from "../../core/invocation/end-outcome.ts";
import type { Invocation } from "../../core/invocation/invocation.ts";
import { type Await, awaitedCompletions } from "../../core/model/await-tree.ts";
import { type InvocationId, invocationIdBytes } from "../../core/model/ids.ts";
import { PRIORITY_DEFAULT } from "../../core/model/request-options.ts";
import type { CellValue } from "../../core/query/table-shape.ts";
import type { Engine } from "../engine.ts";
import { knownNow } from "../operate/known-now.ts";
import type { Loaded } from "../store/load.ts";
import { traceIdOf } from "../traces.ts";
import { attemptCells } from "./attempt-cells.ts";
import { awaitJson, pauseView } from "./wait-view.ts";

type Cells = Readonly<Record<string, CellValue | undefined>>;

/** @param servers the SDK that each deployment announced, by deployment */
export function invocationCells(engine: Engine, loaded: Loaded, servers: ReadonlyMap<string, string>): Cells {
  const invocation = knownNow(engine, loaded);
  const pause = pauseView(engine, loaded);
  return {
    ...acceptanceCells(engine, invocation),
    last_action: loaded.lastAct?.kind,
    last_action_at: loaded.lastAct?.atMs,
    last_action_by: loaded.lastAct?.by,
    outcome: endOutcome(invocation, loaded.isCancelled),
    ...standingCells(invocation),
    running_at: firstStartMs(engine, loaded, invocation),
    pause_reason: pause?.reason,
    paused_at: pause?.atMs,
    paused_by: pause?.by,
    ...attemptCells(engine, loaded, invocation, servers),
  };
}

/** The first eight bytes of the id, as clients of these tables expect. */
export function partitionKey(id: InvocationId): bigint {
  const bytes = invocationIdBytes(id);
  return new DataView(bytes.buffer, bytes.byteOffset, 8).getBigUint64(0);
}

const INVOKERS = {
  ingress: "ingress",
  call: "service",
  send: "service",
  restart: "restart_as_new",
  subscription: "subscription",
  schedule: "schedule",
} as const;

function acceptanceCells(engine: Engine, { acceptance, journal, modifiedAtMs, pin }: Invocation): Cells {
  const { source, startAtMs } = acceptance;
  const caller = "callerId" in source ? source : undefined;
  return {
    limit_key: acceptance.limitKey,
    idempotency_key: acceptance.idempotencyKey,
    created_by: acceptance.createdBy,
    invoked_by: INVOKERS[source.kind],
    restarted_from: source.kind === "restart" ? source.formerId : undefined,
    invoked_by_id: caller?.callerId,
    invoked_by_subscription_id: source.kind === "subscription" ? source.subscriptionId : undefined,
    invoked_by_target: caller?.callerTarget,
    invoked_by_service_name: caller?.callerTarget.split("/")[0],
    pinned_deployment_id: pin?.deploymentId,
    pinned_service_protocol_version: pin?.protocolVersion,
    trace_id: traceIdOf(engine, acceptance),
    journal_size: journal.entries.length,
    journal_commands_size: journal.commandCount,
    modified_at: modifiedAtMs,
    scheduled_at: startAtMs === undefined || startAtMs <= acceptance.createdAtMs ? undefined : acceptance.createdAtMs,
    scheduled_start_at: startAtMs,
    start_by: acceptance.startByMs,
    end_by: acceptance.endByMs,
    priority: acceptance.priority ?? PRIORITY_DEFAULT,
    singleton_key: acceptance.singleton?.key,
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
      suspended_waiting_future_json: JSON.stringify(awaitJson(awaiting)),
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

/**
 * @param loaded the invocation, loaded with moments
 * @returns undefined if the first attempt left no segment and another one followed, so that no stored item has its start
 */
export function firstStartMs(
  engine: Engine,
  { moments = [] }: Loaded,
  { acceptance, attempts, lastFailure }: Invocation,
): number | undefined {
  const stored = moments.find(({ firstStartAtMs }) => firstStartAtMs !== undefined)?.firstStartAtMs;
  if (stored !== undefined) return stored;
  const exchange = engine.activeInvocations.find(acceptance.id)?.attempt.exchange;
  return attempts <= 1 ? (exchange?.startedAtMs ?? lastFailure?.startedAtMs) : undefined;
}

function awaitedSignals({ signals, nested }: Await): readonly number[] {
  return [...signals, ...nested.flatMap(awaitedSignals)];
}
