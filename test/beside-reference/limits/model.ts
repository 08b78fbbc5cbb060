/** A small model of limits, which imports nothing of the product: which invocations may run by the rules, and which wait. */
import type { Kind } from "../program.ts";

export interface Rule {
  /** One to three names with slashes between, each a name or `*`. */
  readonly pattern: string;
  /** Absent: the rule says that there is no limit. */
  readonly concurrency?: number;
  readonly disabled: boolean;
}

export type Status = "waiting" | "running" | "suspended" | "backing-off" | "paused" | "ended";

export interface Job {
  readonly name: string;
  readonly kind: Kind;
  readonly scope: string;
  /** One or two names with a slash between. */
  readonly limitKey?: string;
  readonly handler: "work" | "frail";
  readonly status: Status;
  /** It has run before. */
  readonly hasBegun: boolean;
  /** It has got so many orders. */
  readonly orders: number;
  /** The awakeables for which it has waited. */
  readonly awakeables: number;
  /** It ends as soon as it runs again, because it was cancelled. */
  readonly isCancelled: boolean;
  /** Its handler has returned. */
  readonly hasReturned: boolean;
  /** The one who waits for its result. */
  readonly caller?: string;
}

/** All invocations in the order of their acceptance, and all rules. */
export interface World {
  readonly jobs: readonly Job[];
  readonly rules: readonly Rule[];
}

/** A scope, its first limit key and the second one, as far as the invocation has them. */
export function levelsOf({ scope, limitKey }: Pick<Job, "scope" | "limitKey">): readonly (readonly string[])[] {
  const names = [scope, ...(limitKey?.split("/") ?? [])];
  return names.map((_, at) => names.slice(0, at + 1));
}

/** On each level, the most specific pattern of that depth counts: first the scope is compared, then the first key, then the second. */
export function limitOf(level: readonly string[], rules: readonly Rule[]): number {
  const ranked = rules
    .filter(({ disabled }) => !disabled)
    .map(({ pattern, concurrency }) => ({ names: pattern.split("/"), concurrency }))
    .filter(({ names }) => names.length === level.length && names.every((one, at) => one === "*" || one === level[at]))
    .map(({ names, concurrency }) => ({ rank: names.map((one) => (one === "*" ? 0 : 1)).join(""), concurrency }))
    .toSorted((one, other) => (one.rank > other.rank ? -1 : 1));
  return ranked[0]?.concurrency ?? Infinity;
}

/** Invocations of one queue run in the order of their acceptance. Queues take turns. */
export function queueOf({ kind, scope, limitKey }: Job): string {
  return `${kind} ${scope} ${limitKey ?? ""}`;
}

/**
 * Lets run all that may.
 * @returns undefined if queues compete for a place, so that the servers may choose
 */
export function settled({ jobs, rules }: World): World | undefined {
  const begun = new Set<string>();
  const ended = new Set<string>();
  for (const scope of new Set(jobs.map((job) => job.scope))) {
    const ends = endsOf(
      jobs.filter((job) => job.scope === scope),
      rules,
    );
    if (ends.length > 1) return undefined;
    for (const { name, status } of ends[0] ?? []) (status === "ended" ? ended : begun).add(name);
  }
  return {
    rules,
    jobs: jobs.map((job) => {
      if (ended.has(job.name)) return { ...job, status: "ended", hasBegun: true };
      return begun.has(job.name) ? { ...job, status: "running", hasBegun: true } : job;
    }),
  };
}

type Changed = readonly Pick<Job, "name" | "status">[];

/** @returns each set of invocations that may have begun when no other may begin */
function endsOf(jobs: readonly Job[], rules: readonly Rule[]): readonly Changed[] {
  const ends = new Map<string, Changed>();
  const seen = new Set<string>();
  const walk = (changed: ReadonlyMap<string, Status>): void => {
    const key = [...changed.keys()].toSorted().join();
    if (seen.has(key)) return;
    seen.add(key);
    const now = jobs.map((job) => ({ ...job, status: changed.get(job.name) ?? job.status }));
    const next = headsOf(now).filter((head) => hasRoom(head, now, rules));
    if (next.length === 0)
      ends.set(
        key,
        [...changed].map(([name, status]) => ({ name, status })),
      );
    for (const { name, isCancelled } of next) walk(new Map([...changed, [name, isCancelled ? "ended" : "running"]]));
  };
  walk(new Map());
  return [...ends.values()];
}

function headsOf(jobs: readonly Job[]): readonly Job[] {
  const heads = new Map<string, Job>();
  for (const job of jobs) if (job.status === "waiting" && !heads.has(queueOf(job))) heads.set(queueOf(job), job);
  return [...heads.values()];
}

function hasRoom(job: Job, jobs: readonly Job[], rules: readonly Rule[]): boolean {
  return levelsOf(job).every((level) => usageOf(level, jobs) < limitOf(level, rules));
}

/** @returns how many run whose scope and limit key begin with the names of the level */
export function usageOf(level: readonly string[], jobs: readonly Job[]): number {
  const running = jobs.filter(({ status }) => status === "running");
  return running.filter((job) => levelsOf(job).some((one) => one.join("/") === level.join("/"))).length;
}
