/**
 * The rule of the ledger. Each execution of a closure has a nonce of its own, and the result of an invocation has the nonces of
 * the committed executions. The ledger contains each of these nonces exactly once. For any other execution of a committed step, a
 * blow must explain why the execution was not committed. A blow (`Blow`) is a kill or a stop of a process, its running out of
 * memory, or a throttled request of it. A blow to the process of the handler during the attempt, or to the process that drove the
 * attempt, explains the execution. Over HTTP/2 the driver of each attempt is known, so a blow to another driver explains nothing.
 * Over Lambda the driver is unknown, so a blow to any process that may drive explains the execution if the blow fell between the
 * sending of the attempt and the latest time of its commit. A throttled request that the client repeats (kind `throttled`, not
 * `given up`) is no such blow. Executions that threw on purpose need no such cause. No attempt executes a step twice. An
 * execution that no result names belongs to an invocation that an operator killed.
 */
import type { CommittedStep } from "./book.ts";
import { groupedBy } from "../grouped.ts";
import type { LoadLine } from "./handlers/results.ts";
import type { Blow } from "./killer.ts";

/** A request waits at most this long for a running process of its handler, and START_MAX_MS for a starting process. */
const UNREAD_MAX_MS = 3_000;
const START_MAX_MS = 10_000;
/** From the line of a closure until its segment is durable: the rest of the attempt, an answer, a write. */
const COMMIT_MAX_MS = 5_000;
/** A large result is written in pieces. */
const LARGE_COMMIT_MAX_MS = 30_000;
const DRIVERS = new Set(["ingress", "worker", "sweeper", "admin"]);

export interface LedgerVerdict {
  readonly complaints: readonly string[];
  readonly executions: number;
  /** The number of executions that blows undid, for each function that was hit and each kind of blow. */
  readonly undone: Readonly<Record<string, number>>;
  readonly thrown: number;
}

export function judgeLedger(
  lines: readonly LoadLine[],
  committed: readonly CommittedStep[],
  blows: readonly Blow[],
  killed: ReadonlySet<string>,
): LedgerVerdict {
  const complaints: string[] = [];
  if (new Set(lines.map(({ nonce }) => nonce)).size < lines.length) complaints.push("a nonce was written twice");
  const executions = groupedBy(lines, nameOf);
  const undone: Record<string, number> = {};
  for (const step of committed) {
    const all = executions.get(nameOf(step)) ?? [];
    executions.delete(nameOf(step));
    complaints.push(...complaintsOf(step, all));
    for (const line of all) {
      if (line.throws || line.nonce === step.nonce) continue;
      const blow = blows.find((each) => explains(each, line, step.atMs));
      if (blow === undefined)
        complaints.push(
          `${nameOf(step)} was executed at ${line.atMs}, and nothing explains why it was not committed: ${JSON.stringify(line)}`,
        );
      else undone[`${blow.name} ${blow.kind}`] = (undone[`${blow.name} ${blow.kind}`] ?? 0) + 1;
    }
  }
  for (const [name, [line]] of executions) {
    if (!killed.has(line!.invocationId)) complaints.push(`${name} was executed, and no result contains it`);
  }
  return { complaints, executions: lines.length, undone, thrown: lines.filter(({ throws }) => throws).length };
}

function nameOf({ invocationId, step }: { readonly invocationId: string; readonly step: string }): string {
  return `${invocationId}, "${step}"`;
}

function complaintsOf(step: CommittedStep, lines: readonly LoadLine[]): string[] {
  const complaints: string[] = [];
  const complain = (what: string): void => void complaints.push(`${nameOf(step)} ${what}`);
  const same = lines.filter(({ nonce }) => nonce === step.nonce);
  if (same.length !== 1) complain(`committed ${step.nonce}, which is in the ledger ${same.length} times`);
  if (same[0]?.throws === true) complain("committed an execution that threw");
  const quiet = lines.filter(({ throws }) => !throws);
  if (new Set(quiet.map(({ attemptId }) => attemptId)).size < quiet.length)
    complain("was executed twice by an attempt");
  return complaints;
}

/** @param committedMs the moment of the committed execution of the step */
function explains(blow: Blow, line: LoadLine, committedMs: number): boolean {
  if (blow.toMs < sentAfterMs(line)) return false;
  if (blow.pid === line.pid || blow.pid === line.driverPid) {
    return blow.fromMs <= Math.max(committedMs, line.atMs + commitMaxMs(line));
  }
  const isFelt = DRIVERS.has(blow.name) && blow.kind !== "throttled";
  return line.driverPid === 0 && isFelt && blow.fromMs <= line.atMs + commitMaxMs(line);
}

function commitMaxMs({ step }: LoadLine): number {
  return step.startsWith("piece ") ? LARGE_COMMIT_MAX_MS : COMMIT_MAX_MS;
}

/**
 * The earliest moment at which the attempt may have been sent: UNREAD_MAX_MS before it began, or before its process started if
 * the process started less than START_MAX_MS before the attempt.
 */
function sentAfterMs({ attemptAtMs, bootAtMs }: LoadLine): number {
  return (attemptAtMs - bootAtMs < START_MAX_MS ? bootAtMs : attemptAtMs) - UNREAD_MAX_MS;
}
