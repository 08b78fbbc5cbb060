/** Minimal invocations, entries and events for tests. */
import type { Acceptance } from "../../../shared/core/invocation/acceptance.ts";
import type { CommandEntry, NotificationEntry } from "../../../shared/core/invocation/entry.ts";
import type { Command, CommandName } from "../../../shared/core/protocol/commands.ts";
import type {
  Arrival,
  AttemptEnded,
  AttemptGrew,
  AttemptOutcome,
  Poll,
} from "../../../shared/core/invocation/event.ts";
import { accepted, type Invocation, type Phase, type Status } from "../../../shared/core/invocation/invocation.ts";
import { append } from "../../../shared/core/invocation/journal.ts";
import type { Pin, Consumption } from "../../../shared/core/invocation/segment.ts";
import type { AttemptFailure } from "../../../shared/core/model/attempt-failure.ts";
import type { Await } from "../../../shared/core/model/await-tree.ts";
import type { DeploymentId, InvocationId, Nonce } from "../../../shared/core/model/ids.ts";
import type { RetryPolicy } from "../../../shared/core/model/service.ts";

export const CREATED_MS = 1_000_000;
export const NOW_MS = CREATED_MS + 60_000;
export const LATER_MS = NOW_MS + 60_000;
export const PIN: Pin = { deploymentId: "dp_1" as DeploymentId, protocolVersion: 7 };

export const UNLIMITED: RetryPolicy = {
  initialIntervalMs: 100,
  maxIntervalMs: 10_000,
  factor: 2,
  onMaxAttempts: "pause",
};
export const ONE_THEN_PAUSE: RetryPolicy = { ...UNLIMITED, maxAttempts: 1 };
export const ONE_THEN_KILL: RetryPolicy = { ...UNLIMITED, maxAttempts: 1, onMaxAttempts: "kill" };

export const ACCEPTANCE: Acceptance = {
  id: "inv_1sample" as InvocationId,
  nonce: "nonce" as Nonce,
  target: { service: "Greeter", handler: "greet" },
  input: new Uint8Array(0),
  headers: [],
  serviceType: "service",
  handlerType: "service",
  source: { kind: "ingress" },
  createdAtMs: CREATED_MS,
  completionRetentionMs: 86_400_000,
  journalRetentionMs: 86_400_000,
};

const NO_FRAME = new Uint8Array(0);

export function command(type: CommandName, meaning: Command): CommandEntry {
  return { kind: "command", type, name: "", command: meaning, frame: NO_FRAME };
}

export const INPUT = command("Input", { kind: "input" });
export const run = (completionId: number) => command("Run", { kind: "run", completionId });
export const sleep = (completionId: number, wakeAtMs: number) =>
  command("Sleep", { kind: "sleep", completionId, wakeAtMs });
export const output = (text = "done") =>
  command("Output", { kind: "output", result: { kind: "success", value: new TextEncoder().encode(text) } });

export function completion(completionId: number, failed = false): NotificationEntry {
  return { kind: "notification", type: "Call", id: { completionId }, failed, frame: NO_FRAME };
}

export function signal(index: number): NotificationEntry {
  return { kind: "notification", type: "Signal", id: { index }, failed: false, frame: NO_FRAME };
}

export function namedSignal(name: string): NotificationEntry {
  return { kind: "notification", type: "Signal", id: { name }, failed: false, frame: NO_FRAME };
}

export function taken(key: string, entry: NotificationEntry): Consumption {
  return { key, entry, inline: false };
}

export function arrival(key: string, entry: NotificationEntry, atMs = NOW_MS): Arrival {
  return { kind: "notification", atMs, consumption: taken(key, entry) };
}

export const completionArrived = (completionId: number) => arrival(`c${completionId}`, completion(completionId));
export const cancelArrived = (key = "xcancel") => arrival(key, signal(1));
export const KILL_ARRIVED: Arrival = { kind: "kill", atMs: NOW_MS };

/** An await of the default kind: the completions, and CANCEL. */
export function awaiting(...completions: number[]): Await {
  return { completions, signals: [1], namedSignals: [], nested: [], combinator: "first-completed" };
}

const STANDINGS: Readonly<Record<Status, Phase>> = {
  scheduled: { status: "scheduled", startAtMs: LATER_MS },
  pending: { status: "pending" },
  ready: { status: "ready" },
  running: { status: "running" },
  "backing-off": { status: "backing-off", retryAtMs: LATER_MS },
  suspended: { status: "suspended", awaiting: awaiting(1), fresh: [] },
  paused: { status: "paused" },
  completed: {
    status: "completed",
    result: { kind: "success", value: new Uint8Array(0) },
    endedAtMs: NOW_MS - 1,
    tombstone: false,
    killed: false,
  },
};

const NEVER_STARTED: ReadonlySet<Status> = new Set(["scheduled", "pending", "ready"]);

/** An invocation with this status. It has one segment and one attempt if the status can only follow a first attempt. */
export function invocationIn(status: Status, more: Partial<Invocation> = {}): Invocation {
  const fresh = accepted(status === "pending" ? { ...ACCEPTANCE, handlerType: "exclusive" } : ACCEPTANCE, INPUT);
  const started = NEVER_STARTED.has(status)
    ? fresh
    : { ...fresh, segmentIndex: 1, attempts: 1, journal: append(fresh.journal, [run(1)]) };
  return { ...started, phase: STANDINGS[status], ...more };
}

export function poll(arrivals: readonly Arrival[] = [], atMs = NOW_MS): Poll {
  return { kind: "poll", atMs, arrivals };
}

export const FAILURE: AttemptFailure = { errorCode: "RT0007", code: 500, message: "boom", atMs: NOW_MS };

export function failing(more: Partial<Extract<AttemptOutcome, { kind: "failed" }>> = {}): AttemptOutcome {
  return { kind: "failed", failure: FAILURE, behavior: "retry", countsSinceEntry: true, ...more };
}

export function attemptGrew(more: Partial<AttemptGrew> = {}): AttemptGrew {
  return {
    kind: "attempt-grew",
    atMs: NOW_MS,
    attempt: { number: 2, startedAtMs: NOW_MS - 10, endedAtMs: NOW_MS },
    pin: PIN,
    sent: [],
    entries: [],
    ...more,
  };
}

export function attemptEnded(ending: AttemptOutcome, more: Partial<AttemptEnded> = {}): AttemptEnded {
  return {
    kind: "attempt-ended",
    atMs: NOW_MS,
    attempt: { number: 2, startedAtMs: NOW_MS - 10, endedAtMs: NOW_MS },
    pin: PIN,
    sent: [],
    entries: [],
    ending,
    policy: UNLIMITED,
    jitter: 0,
    ...more,
  };
}
