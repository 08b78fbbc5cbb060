/** Shows what one invocation waits for, without reading the other invocations that it waits for. */
import type { NotificationEntry } from "../../core/invocation/entry.ts";
import { signalText, type Lookup, type SignalName } from "../../core/protocol/command-parts.ts";
import type { Invocation } from "../../core/invocation/invocation.ts";
import { waitsOf, type RunningStep, type Wait } from "../../core/invocation/waits.ts";
import type { Await, Combinator } from "../../core/model/await-tree.ts";
import { invocationIdBytes, type InvocationId } from "../../core/model/ids.ts";
import { targetText } from "../../core/model/target.ts";
import { encodeAwakeableId } from "../../core/protocol/awakeable-id.ts";
import { gateView } from "../limits/views.ts";
import { waitOf } from "../admission/admission.ts";
import { deploymentOfNext } from "../admission/circuit.ts";
import { idOfLookup } from "../accept/invocation-ids.ts";
import type { Engine } from "../engine.ts";
import { momentsOf, presentedStatus, queueOf } from "../operate/inspect.ts";
import { knownNow } from "../operate/known-now.ts";
import type { OpenExchange } from "../local/open-attempt.ts";
import type { WaitView, PauseView } from "../ports/submission.ts";
import type { Loaded } from "../store/load.ts";
import { momentIso } from "../../core/model/moment.ts";

/** The signal index of the first awakeable. SDKs count from here on; smaller indexes are reserved. */
const FIRST_AWAKEABLE = 17;

/** Costs no read, except for a pending invocation: of the lock of its key, or of the pool in whose line it waits. */
export async function ownWaits(engine: Engine, loaded: Loaded): Promise<readonly WaitView[]> {
  const invocation = shownPhase(engine, loaded);
  const waits = waitsOf(invocation, {
    moments: momentsOf(loaded, invocation),
    arrived: arrivedFor(engine, loaded),
  }).map((wait) => viewOf(engine, loaded, wait));
  const heldBack = heldBackView(engine, invocation);
  if (heldBack !== undefined) return [...waits, heldBack];
  const waitsAt = gateNow(engine, loaded);
  if (waitsAt !== undefined && invocation.phase.status === "pending")
    return [await gateView(engine, invocation.acceptance, waitsAt, waits[0]?.sinceMs ?? invocation.modifiedAtMs)];
  const queue = await queueOf(engine, loaded);
  if (queue === undefined) return waits;
  const { place, holderId } = queue;
  return waits.map((wait) => ({ ...wait, place, ...(holderId !== undefined && { invocationId: holderId }) }));
}

/** The gate at which the invocation waits, in the memory of its driver or in its lease record. */
function gateNow({ activeInvocations }: Engine, { invocation, leaseRecord }: Loaded): string | undefined {
  const driven = activeInvocations.find(invocation.acceptance.id);
  return driven === undefined ? leaseRecord?.waitsAt : driven.lease.waitsAt;
}

/**
 * Corrects the stored phase by the lease: an invocation stored as `running` may be `ready`, and the other way round. A
 * running invocation whose handler only waits on its open exchange counts as suspended, with its await.
 */
function shownPhase(engine: Engine, loaded: Loaded): Invocation {
  const invocation = knownNow(engine, loaded);
  const status = presentedStatus(engine, loaded);
  if (status !== "running" && status !== "ready") return invocation;
  const awaiting = status === "running" ? awaitedOnExchange(engine, invocation) : undefined;
  if (awaiting !== undefined) return { ...invocation, phase: { status: "suspended", awaiting, fresh: [] } };
  return { ...invocation, phase: { status } };
}

/** @returns the await of a running invocation whose open exchange only waits, if its handler reports awaits */
function awaitedOnExchange(engine: Engine, { acceptance }: Invocation): Await | undefined {
  const exchange = engine.activeInvocations.find(acceptance.id)?.attempt.exchange;
  return exchange?.waits === true ? exchange.awaiting?.() : undefined;
}

function arrivedFor(engine: Engine, { invocation, arrivals }: Loaded): readonly NotificationEntry[] {
  const driven = engine.activeInvocations.find(invocation.acceptance.id);
  return [...arrivals.values(), ...(driven?.inbox.arrivals.values() ?? [])].flatMap((arrival) =>
    arrival.kind === "notification" ? [arrival.consumption.entry] : [],
  );
}

function viewOf(engine: Engine, loaded: Loaded, wait: Wait): WaitView {
  const { acceptance } = loaded.invocation;
  const { sinceMs } = wait;
  switch (wait.kind) {
    case "retry": {
      const { failure, ...rest } = wait;
      return { ...rest, ...(failure && { failure }) };
    }
    case "attempt":
      return attemptView(engine, loaded, wait);
    case "call": {
      const { kind, target, childId } = wait;
      return {
        kind,
        sinceMs,
        target: targetText(target),
        ...(childId !== undefined && { invocationId: childId as InvocationId }),
      };
    }
    case "attach":
      return { kind: "attach", sinceMs, ...attachedTo(engine, wait.lookup) };
    case "promise":
      return { ...wait, target: `${acceptance.target.service}/${acceptance.target.key ?? ""}` };
    case "signal":
      return { sinceMs, ...signalView(acceptance.id, wait.signal) };
    case "command": {
      const { kind, type, name } = wait;
      return { kind, sinceMs, type, ...(name !== "" && { name }) };
    }
    default:
      return wait;
  }
}

/** The start of an attempt is only in the memory of its process. In other processes, the wait counts from the last segment. */
function attemptView(engine: Engine, { invocation, leaseRecord }: Loaded, wait: Wait & { kind: "attempt" }): WaitView {
  const driven = engine.activeInvocations.find(invocation.acceptance.id);
  const exchange = driven?.attempt.exchange;
  const silentSinceMs =
    exchange?.silent === true ? exchange.heardAtMs : driven ? undefined : leaseRecord?.silentSinceMs;
  const { steps, ...rest } = wait;
  return {
    ...rest,
    sinceMs: exchange?.startedAtMs ?? wait.sinceMs,
    ...stepOf([...steps, ...unstoredSteps(exchange)]),
    ...deploymentOf(engine, knownNow(engine, { invocation })),
    ...(silentSinceMs !== undefined && { silentSinceMs }),
  };
}

/** Runs that the deployment has begun after the last segment, about when it sent its last bytes. */
function unstoredSteps(exchange: OpenExchange | undefined): readonly RunningStep[] {
  if (exchange === undefined) return [];
  return exchange.runs().map((name) => ({ name, sinceMs: exchange.heardAtMs }));
}

/** The oldest step names what runs; the number of the others tells the reader that it is not alone. */
function stepOf([step, ...others]: readonly RunningStep[]): Pick<WaitView, "step"> {
  return step === undefined ? {} : { step: { ...step, others: others.length } };
}

function deploymentOf(engine: Engine, invocation: Invocation): Pick<WaitView, "deploymentId"> {
  const deploymentId = deploymentOfNext(engine, invocation);
  return deploymentId === undefined ? {} : { deploymentId };
}

function attachedTo(engine: Engine, lookup: Lookup): Pick<WaitView, "invocationId" | "target"> {
  const invocationId = idOfLookup(engine, lookup);
  const target =
    lookup.kind === "idempotency"
      ? targetText(lookup.target)
      : lookup.kind === "workflow"
        ? `${lookup.service}/${lookup.key}`
        : undefined;
  return { ...(invocationId !== undefined && { invocationId }), ...(target !== undefined && { target }) };
}

function signalView(id: InvocationId, signal: SignalName): Pick<WaitView, "kind" | "awakeableId" | "name"> {
  if ("index" in signal && signal.index >= FIRST_AWAKEABLE)
    return { kind: "awakeable", awakeableId: encodeAwakeableId(invocationIdBytes(id), signal.index) };
  return { kind: "signal", name: signalText(signal) };
}

/** The reason that holds back the next attempt. */
function heldBackView(engine: Engine, invocation: Invocation): WaitView | undefined {
  const { status } = invocation.phase;
  const wait = status === "backing-off" || status === "ready" ? waitOf(engine, invocation) : undefined;
  return wait && { ...wait.why, untilMs: wait.untilMs };
}

/** @returns undefined for an invocation that is not paused */
export function pauseView(engine: Engine, loaded: Loaded): PauseView | undefined {
  const { phase, segmentIndex, lastFailure, modifiedAtMs } = knownNow(engine, loaded);
  const { last, leaseRecord, lastAct } = loaded;
  if (phase.status !== "paused") return undefined;
  if (leaseRecord !== undefined && leaseRecord.base > segmentIndex)
    return {
      reason: "process-ends",
      atMs: lastFailure?.atMs ?? modifiedAtMs,
      ...(lastFailure && { failure: lastFailure }),
    };
  // A pause by an order writes a segment; a pause after a failure changes only the lease record.
  if (last?.segment.after.kind === "paused") {
    const by = lastAct?.kind === "pause" ? lastAct.by : undefined;
    const failure = lastFailure && { failure: lastFailure };
    return { reason: "order", atMs: last.segment.writtenAtMs, ...(by !== undefined && { by }), ...failure };
  }
  return { reason: "failure", atMs: lastFailure?.atMs ?? modifiedAtMs, ...(lastFailure && { failure: lastFailure }) };
}

/** @returns a list; the failures are without their stack traces */
export function waitsJson(waits: readonly WaitView[]): string {
  return JSON.stringify(waits.map(waitJson));
}

/** Members that are undefined are absent from the JSON. */
function waitJson({ failure, ...wait }: WaitView): unknown {
  return {
    kind: wait.kind,
    since: momentIso(wait.sinceMs),
    until: momentOf(wait.untilMs),
    attempt: wait.attempt,
    failure: failure && {
      error_code: failure.errorCode,
      code: failure.code,
      message: failure.message,
      at: momentIso(failure.atMs),
    },
    deployment_id: wait.deploymentId,
    silent_since: momentOf(wait.silentSinceMs),
    step: wait.step && {
      name: wait.step.name,
      since: momentIso(wait.step.sinceMs),
      others: wait.step.others === 0 ? undefined : wait.step.others,
    },
    place: wait.place,
    waiting: wait.waiting,
    oldest_since: momentOf(wait.oldestSinceMs),
    places: wait.places,
    taken: wait.taken,
    awakeable_id: wait.awakeableId,
    name: wait.name,
    type: wait.type,
    target: wait.target,
    invocation_id: wait.invocationId,
  };
}

function momentOf(atMs: number | undefined): string | undefined {
  return atMs === undefined ? undefined : momentIso(atMs);
}

const NAMES: Readonly<Record<Combinator, string>> = {
  unknown: "Unknown",
  "first-completed": "FirstCompleted",
  "all-completed": "AllCompleted",
  "first-succeeded-or-all-failed": "FirstSucceededOrAllFailed",
  "all-succeeded-or-first-failed": "AllSucceededOrFirstFailed",
};

/** A leaf names a completion or a signal, a node combines leaves and nodes. @returns plain JSON; it is as deep as the await, and the protocol bounds the depth of an await */
export function awaitJson({ completions, signals, namedSignals, nested, combinator }: Await): unknown {
  const leaves = [
    ...completions.map((id) => ({ CompletionId: id })),
    ...signals.map((index) => ({ SignalIndex: index })),
    ...namedSignals.map((name) => ({ SignalName: name })),
  ];
  const children = [...leaves.map((leaf) => ({ Single: leaf })), ...nested.map(awaitJson)];
  return children.length === 1 && combinator === "unknown" ? children[0] : { [NAMES[combinator]]: children };
}
