/** Lists the ways out of a journal mismatch (RT0016), each with the commands that an operator runs for it. */
import { durationText } from "../model/duration.ts";
import { MINUTE_MS } from "../model/time-units.ts";
import type { Mismatch } from "../model/attempt-failure.ts";
import type { Invocation } from "./invocation.ts";
import type { Deployment } from "../model/deployment.ts";
import type { DeploymentId } from "../model/ids.ts";
import type { Entry } from "./entry.ts";
import type { Journal } from "./journal.ts";

export interface FormerCode {
  /** The deployment that recorded the entry. */
  readonly deploymentId: DeploymentId;
  /** False if the deployment has been removed, or no longer offers the service. */
  readonly isRegistered: boolean;
}

/** @param recorder the deployment that recorded the entry; undefined if it is unknown */
export function formerCodeOf(
  deployments: readonly Deployment[],
  service: string,
  recorder: DeploymentId | undefined,
): FormerCode | undefined {
  if (recorder === undefined) return undefined;
  const found = deployments.find(({ id }) => id === recorder);
  return { deploymentId: recorder, isRegistered: found?.services.some(({ name }) => name === service) ?? false };
}

export interface WayOut {
  /** `restore`: the former code at its old address. `move`: the former code at another address. */
  readonly action: "restore" | "move" | "restart" | "kill";
  readonly text: string;
  /** Commands of `stepwell`, in their order. A part in angle brackets is for the operator to fill in. */
  readonly commands: readonly string[];
}

/** `lastKept` rarely goes back by more than one entry. For each entry that it tries, it reads the whole journal. */
const STEPS_BACK_MAX = 50;
/** If the journal is kept for less time after the end, it may be gone before an operator restarts the invocation. */
const RESTART_WITHIN_MIN_MS = 10 * MINUTE_MS;

/** @param former the code that recorded the differing entry; undefined if it is unknown */
export function waysOut(invocation: Invocation, mismatch: Mismatch, former?: FormerCode): readonly WayOut[] {
  const { id, handlerType } = invocation.acceptance;
  const ways = isInPlace(mismatch, former) ? [restore(invocation, mismatch)] : [];
  ways.push(move(invocation, mismatch, former));
  if (handlerType !== "workflow" && keptAfterEndMs(invocation) >= RESTART_WITHIN_MIN_MS)
    ways.push(restart(invocation, mismatch));
  ways.push({ action: "kill", text: killText(invocation), commands: [command("kill", id)] });
  return ways;
}

/** True if the deployment that recorded the entry now reaches another command there: its code was changed in place. */
function isInPlace({ deploymentId }: Mismatch, former: FormerCode | undefined): boolean {
  return former?.isRegistered === true && former.deploymentId === deploymentId;
}

function restore({ acceptance: { id } }: Invocation, { deploymentId }: Mismatch): WayOut {
  return {
    action: "restore",
    text: `Start the former code again at the address of deployment ${deploymentId}. Resume only brings the next attempt forward.`,
    commands: [command("resume", id)],
  };
}

/** The restart has no idempotency key and no caller: both stay with the killed invocation. */
function restart(invocation: Invocation, mismatch: Mismatch): WayOut {
  const { id, idempotencyKey } = invocation.acceptance;
  const from = lastKept(invocation, mismatch);
  const kept = from === 0 ? "its input alone" : `the results up to entry ${from}`;
  const within = durationText(keptAfterEndMs(invocation));
  const alsoUnderKey = idempotencyKey === undefined ? "" : ", also under the idempotency key";
  return {
    action: "restart",
    text: `End the invocation, and within ${within} of that start it again on the new code with ${kept}. Later steps run again. Callers get the failure of the kill${alsoUnderKey}.${openCallsText(invocation)}`,
    commands: [command("kill", id), `${command("restart", id)} --from ${from} --deployment keep`],
  };
}

function killText(invocation: Invocation): string {
  const text = `End the invocation.${openCallsText(invocation)} Nothing that it did is undone`;
  const keptMs = keptAfterEndMs(invocation);
  if (keptMs >= RESTART_WITHIN_MIN_MS) return `${text}.`;
  const kept = keptMs === 0 ? "not kept" : `kept for only ${durationText(keptMs)}`;
  return `${text}, and no restart can follow, because its journal is ${kept} after the end.`;
}

/** A kill also ends calls, because the result of a call has no other recipient. */
function openCallsText({ journal }: Invocation): string {
  const calls = [...journal.open.values()].some(({ entry }) => entry.command.kind === "call");
  return calls ? " The calls that it waits for end too." : "";
}

/** A restart needs the journal of the ended invocation. */
function keptAfterEndMs({ acceptance }: Invocation): number {
  return Math.min(acceptance.journalRetentionMs, acceptance.completionRetentionMs);
}

function move({ acceptance: { id }, phase }: Invocation, mismatch: Mismatch, former?: FormerCode): WayOut {
  // A resume moves an invocation between two attempts; one whose attempt is under way has to be paused first.
  const isUnderWay = phase.status === "running" || phase.status === "ready";
  const pause = isUnderWay ? [command("pause", id)] : [];
  const resume = `${command("resume", id)} --deployment`;
  if (former?.isRegistered === true && !isInPlace(mismatch, former)) {
    const { deploymentId } = former;
    const text = `Continue on deployment ${deploymentId}, which recorded the entry.`;
    return { action: "move", text, commands: [...pause, `${resume} ${deploymentId}`] };
  }
  return {
    action: "move",
    text: `${registerText(mismatch, former)}, register it there, and continue on it. New invocations go to it too, until the new code is registered once more.`,
    commands: ["stepwell deployments register <address>", ...pause, `${resume} <deployment-id>`],
  };
}

function registerText(mismatch: Mismatch, former: FormerCode | undefined): string {
  if (isInPlace(mismatch, former)) return "Start the former code at another address";
  if (former !== undefined)
    return `Deployment ${former.deploymentId}, which recorded the entry, is gone. Start its code again at an address`;
  if (mismatch.recorded === undefined)
    return "The journal has no entry there. If other code made the journal, start that code at another address";
  return "The deployment that recorded the entry is unknown. Start the code that made the journal at another address";
}

function command(name: string, id: string): string {
  return `stepwell invocations ${name} ${id}`;
}

/**
 * A restart can begin with the entries up to the returned index: they come before the difference, and each command among
 * them is completed. The index 0 stands for only the input.
 */
function lastKept({ journal, pin }: Invocation, { entry = 0 }: Mismatch): number {
  if ((pin?.protocolVersion ?? 0) < CUT_VERSION_MIN) return 0;
  const first = Math.min(entry, journal.entries.length) - 1;
  for (let from = first; from > Math.max(0, first - STEPS_BACK_MAX); from--)
    if (journalPrefix(journal, from) !== undefined) return from;
  return 0;
}

/** The lowest protocol version whose journals can be cut; journals of earlier versions lack the information for a cut. */
export const CUT_VERSION_MIN = 6;

/**
 * @param from the index of the last entry to take, counting commands and notifications; 0 is the input
 * @returns the entries after the input, then later completions of the taken commands; undefined if the journal has no entry at
 * `from`, or if a taken command is not completed
 */
export function journalPrefix(journal: Journal, from: number): readonly Entry[] | undefined {
  if (from >= journal.entries.length) return undefined;
  const taken = new Set<Entry>(journal.entries.slice(1, from + 1));
  const awaited = new Set<number>();
  for (const [completionId, { entry }] of journal.completable) if (taken.has(entry)) awaited.add(completionId);
  for (const completionId of awaited) if (!journal.completed.has(completionId)) return undefined;
  const late = journal.entries
    .slice(from + 1)
    .filter(
      (entry) => entry.kind === "notification" && "completionId" in entry.id && awaited.has(entry.id.completionId),
    );
  return [...taken, ...late].map(withoutReceipt);
}

/** The moments of receipt belong to the former invocation, and lie before the acceptance of the new one. */
function withoutReceipt(entry: Entry): Entry {
  const { receivedAtMs: _, ...kept } = entry;
  return kept;
}
