/** The requests that the throttle between the functions and the emulator has refused. */
import type { Blow } from "./killer.ts";

interface Refusal {
  readonly resource: string;
  /** The function name and the process id of the sender of the request. */
  readonly name: string;
  readonly pid: number;
  readonly atMs: number;
  /** Whether it was the last try of the client. */
  readonly isLast: boolean;
}

export interface Throttled {
  /** The number of requests for each resource: table reads, table writes, each index, schedules, and transactions. */
  readonly requests: Readonly<Record<string, number>>;
  readonly refused: Readonly<Record<string, number>>;
  readonly bursts: Readonly<Record<string, number>>;
  readonly refusals: readonly Refusal[];
}

/** A resource with at least this many requests must have been throttled. */
const USED_MIN = 20;

export async function throttle(endpoint: string, what: "/begin" | "/end" | ""): Promise<Throttled> {
  const answer = await fetch(`${endpoint}/_throttle${what}`);
  return (await answer.json()) as Throttled;
}

/** A lease whose renewal was refused ends within this time. Its driver may then lose the work that it began meanwhile. */
const FELT_FOR_MS = 10_000;

/** A refused request may undo the work of its process, so it counts as a blow. */
export function blowsOf({ refusals }: Throttled): Blow[] {
  return refusals.map(({ name, pid, atMs, isLast }) => ({
    kind: isLast ? "given up" : "throttled",
    name,
    pid,
    fromMs: atMs,
    toMs: atMs + FELT_FOR_MS,
  }));
}

/** @param isWanted whether the run has bursts */
export function complaintsOfThrottle({ requests, refused, refusals }: Throttled, isWanted: boolean): string[] {
  if (!isWanted) return [];
  const complaints = refusals.length === 0 ? ["nothing was throttled"] : [];
  for (const [resource, count] of Object.entries(requests)) {
    if (count >= USED_MIN && refused[resource] === undefined)
      complaints.push(`${resource} had ${count} requests, none of which was refused`);
  }
  if (refusals.some(({ pid }) => Number.isNaN(pid))) complaints.push("a process that was throttled is not known");
  return complaints;
}
