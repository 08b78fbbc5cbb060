/** The tables of flow control: rules, pools, and open invocations by scope and limit key. */
import { parsePattern, type PatternKind } from "../../core/limits/pattern.ts";
import { rateText } from "../../core/limits/rule.ts";
import { INVOCATION_ID_BYTES, invocationIdFromBytes } from "../../core/model/ids.ts";
import type { Presented } from "../../core/query/status-words.ts";
import type { Engine } from "../engine.ts";
import { type PoolView, poolViews } from "../limits/views.ts";
import { InvocationRow } from "./invocation-row.ts";
import { OPEN_STATUSES } from "./list-invocations.ts";
import type { Summary } from "./open-listing.ts";
import { summaries } from "./query-invocations.ts";
import type { Cells, Reading } from "./reading.ts";

/** Each pool costs some reads. */
const POOLS_MAX = 1_000;
const LOADS_AT_ONCE = 64;

export async function ruleRows(engine: Engine): Promise<readonly Cells[]> {
  const { rules } = await engine.registry.rules();
  return rules.map(({ pattern, limits: { concurrency, rate }, description, disabled, version, modifiedAtMs }) => ({
    pattern,
    concurrency,
    description,
    disabled,
    version,
    last_modified: modifiedAtMs,
    rate: rate && rateText(rate),
    burst: rate?.burst,
  }));
}

/** The pools with a taken place or with an invocation that waits. */
export async function poolRows(engine: Engine): Promise<readonly Cells[]> {
  const views = await poolViews(engine, POOLS_MAX);
  return views.filter(({ taken, waiting }) => taken + waiting > 0).map(poolCells);
}

const LEVELS: Readonly<Record<PatternKind, readonly string[]>> = {
  scope: ["Scope", "Level1", "Level2"],
  service: ["Service"],
  handler: ["Handler", "Handler"],
  global: [],
};

function poolCells({ pool, pattern, limits: { concurrency }, taken, waiting, oldestSinceMs }: PoolView): Cells {
  const parsed = parsePattern(pool);
  const { kind, names } = typeof parsed === "string" ? { kind: "global" as const, names: [] } : parsed;
  const [scope, l1, l2] = kind === "scope" ? names : [];
  return {
    scope,
    l1,
    l2,
    level: LEVELS[kind][names.length - 1] ?? "Global",
    usage: taken,
    concurrency_limit: concurrency,
    rule_pattern: pattern,
    available: concurrency && Math.max(0, concurrency - taken),
    num_waiters: waiting,
    pool,
    oldest_waiting_since: oldestSinceMs,
  };
}

interface Queue {
  readonly service: string;
  readonly scope: string | undefined;
  readonly limitKey: string | undefined;
  readonly lock: string | undefined;
  firstAtMs: number;
  lastAtMs: number;
  readonly counts: Map<Presented, number>;
}

/**
 * One row for each service, scope, limit key and lock with an open invocation. Costs what a statement over the open invocations
 * costs, and a load of each one in a scope, because no index has limit keys.
 */
export async function queueRows(reading: Reading): Promise<readonly Cells[]> {
  const queues = new Map<string, Queue>();
  let group: Summary[] = [];
  const count = async (): Promise<void> => {
    const keys = await Promise.all(group.map((summary) => limitKeyOf(reading, summary)));
    for (const [at, summary] of group.entries()) addTo(queues, reading, summary, keys[at]);
    group = [];
  };
  const open = new Map([["status", { in: OPEN_STATUSES }]]);
  for await (const summary of summaries(reading, open, "presented", "oldest-first"))
    if (group.push(summary) >= LOADS_AT_ONCE) await count();
  await count();
  return [...queues].map(([name, queue]) => queueCells(reading.engine, name, queue));
}

async function limitKeyOf(reading: Reading, summary: Summary): Promise<string | undefined> {
  if (summary.scope === undefined) return undefined;
  const row = new InvocationRow(reading, summary, "presented");
  const limitKey = await row.cell("limit_key");
  return typeof limitKey === "string" ? limitKey : undefined;
}

function addTo(queues: Map<string, Queue>, reading: Reading, summary: Summary, limitKey: string | undefined): void {
  const { service, handler, key, scope, status, createdAtMs } = summary;
  const isLocked = key !== undefined && !reading.sharedHandlers.has(`${service}/${handler}`);
  const lock = isLocked ? `${service}/${key}` : undefined;
  const name = JSON.stringify([service, scope, limitKey, lock]);
  const queue: Queue = queues.get(name) ?? {
    service,
    scope,
    limitKey,
    lock,
    firstAtMs: createdAtMs,
    lastAtMs: createdAtMs,
    counts: new Map(),
  };
  queue.firstAtMs = Math.min(queue.firstAtMs, createdAtMs);
  queue.lastAtMs = Math.max(queue.lastAtMs, createdAtMs);
  queue.counts.set(status, (queue.counts.get(status) ?? 0) + 1);
  queues.set(name, queue);
}

const WAITING: readonly Presented[] = ["scheduled", "pending", "ready", "backing-off"];

function queueCells({ ids }: Engine, name: string, queue: Queue): Cells {
  const { service, scope, limitKey, lock, firstAtMs, lastAtMs, counts } = queue;
  const sum = (statuses: readonly Presented[]): number =>
    statuses.reduce((total, status) => total + (counts.get(status) ?? 0), 0);
  return {
    id: queueId(ids, name),
    is_active: true,
    queue_is_paused: false,
    service_name: service,
    scope,
    limit_key: limitKey,
    lock_name: lock,
    created_at: firstAtMs,
    last_enqueued_at: lastAtMs,
    num_inbox: sum(WAITING),
    num_running: sum(["running"]),
    num_suspended: sum(["suspended"]),
    num_paused: sum(["paused"]),
    // Clients need a number.
    num_finished: 0,
  };
}

/** The same queue has the same id. It has the form of the reference server's ids, which clients check. */
function queueId(ids: Engine["ids"], name: string): string {
  return invocationIdFromBytes(ids.derive(["vq", name], INVOCATION_ID_BYTES)).replace("inv_", "vq_");
}
