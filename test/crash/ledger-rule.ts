/**
 * The rule of the ledger. Each execution of a closure makes a random text, its nonce, and writes one line with it. The nonce in
 * the result of a committed closure is in the ledger exactly once. Each other execution of the same step must have been undone by
 * a kill, and one kill explains at most one execution of a step. The kill comes after the attempt of the undone execution was
 * sent, before the next attempt that executed the step, and while the deployment process that executed the step was alive.
 * An execution that threw on purpose needs no kill, and a step has as many such executions as the plan states. No attempt
 * executes a step twice.
 */
import type { Committed } from "./account.ts";
import type { Line } from "./ledger.ts";

/**
 * A deployment that is starting or short of processor time may read a request only after its sender was killed; the result of
 * that attempt is lost. The time of sending is unknown, but a request waits no longer than this.
 */
const UNREAD_MAX_MS = 2_000;

/** The time from before the signal until all killed processes were dead. */
export interface Killing {
  readonly atMs: number;
  readonly deadMs: number;
}

export interface LedgerVerdict {
  readonly complaints: readonly string[];
  /** Executions that a kill undid. */
  readonly uncommitted: number;
  /** Executions that threw on purpose. */
  readonly thrown: number;
}

/**
 * @param committed every committed closure of every invocation
 * @param kills the kills, in the order of their moments
 */
export function judgeLedger(
  lines: readonly Line[],
  committed: readonly Committed[],
  kills: readonly Killing[],
): LedgerVerdict {
  const complaints: string[] = [];
  if (new Set(lines.map(({ nonce }) => nonce)).size < lines.length) complaints.push("a nonce was written twice");
  const executions = new Map<string, Line[]>();
  for (const line of lines) executions.set(nameOf(line), [...(executions.get(nameOf(line)) ?? []), line]);
  let uncommitted = 0;
  for (const step of committed) {
    const all = executions.get(nameOf(step)) ?? [];
    executions.delete(nameOf(step));
    complaints.push(...judgeStep(step, all, kills));
    uncommitted += all.filter(({ throws, nonce }) => !throws && nonce !== step.nonce).length;
  }
  for (const name of executions.keys()) complaints.push(`${name} was executed, and no result contains it`);
  return { complaints, uncommitted, thrown: lines.filter(({ throws }) => throws).length };
}

function nameOf({ invocationId, step }: { readonly invocationId: string; readonly step: string }): string {
  return `${invocationId}, "${step}"`;
}

function judgeStep(step: Committed, lines: readonly Line[], kills: readonly Killing[]): string[] {
  const complaints: string[] = [];
  const complain = (what: string): void => void complaints.push(`${nameOf(step)} ${what}`);
  const of = (wanted: string): number => lines.filter(({ nonce }) => nonce === wanted).length;
  if (of(step.nonce) !== 1) complain(`committed ${step.nonce}, which is in the ledger ${of(step.nonce)} times`);
  const thrown = lines.filter(({ throws }) => throws);
  if (thrown.some(({ nonce }) => nonce === step.nonce)) complain("committed an execution that threw");
  if (thrown.length !== step.failures) complain(`threw ${thrown.length} times instead of ${step.failures}`);
  if (new Set(lines.map(({ attemptId }) => attemptId)).size < lines.length)
    complain("was executed twice by an attempt");
  const inOrder = lines.toSorted((one, other) => one.attemptAtMs - other.attemptAtMs);
  let used = -1;
  for (const [index, later] of inOrder.entries()) {
    const earlier = inOrder[index - 1];
    if (earlier === undefined || earlier.throws) continue;
    const kill = kills.findIndex(
      ({ atMs, deadMs }, at) => at > used && deadMs >= sentAfterMs(earlier) && atMs <= later.attemptAtMs,
    );
    if (kill < 0) complain(`was executed again at ${later.atMs}, after ${earlier.atMs}, and no kill explains it`);
    else used = kill;
  }
  return complaints;
}

function sentAfterMs({ attemptAtMs, bootAtMs }: Line): number {
  return Math.max(attemptAtMs - UNREAD_MAX_MS, bootAtMs);
}
