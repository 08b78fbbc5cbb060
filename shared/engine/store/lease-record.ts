/** Converts lease records to items and back, and makes the conditions of their writes. */
import type { ParkedStatus } from "../../core/invocation/transition.ts";
import type { Retries } from "../../core/invocation/segment.ts";
import type { AttemptFailure } from "../../core/model/attempt-failure.ts";
import type { InvocationId, Nonce, Token } from "../../core/model/ids.ts";
import type { Target } from "../../core/model/target.ts";
import { leaseRecordKey, invocationPk, type KeyScheme, openKeys } from "./item-keys.ts";
import type { Condition, Item, ItemValue, Update } from "../ports/table.ts";
import { targetAttributes } from "./target-attributes.ts";

export interface LeaseRecord {
  /** The index of the last segment that the writer of the lease record had loaded. */
  readonly base: number;
  readonly token: Token;
  /** The end of the lease; 0 when parked. */
  readonly untilMs: number;
  readonly status: ParkedStatus | "running" | "completed";
  readonly wakeAtMs?: number;
  /** A far moment for which a timer is set. A driver that parks until this moment needs no other timer. */
  readonly timerAtMs?: number;
  readonly attempts: number;
  readonly retries: Retries;
  readonly lastFailure?: AttemptFailure;
  /** The moment since which the deployment of the running attempt has sent nothing. */
  readonly silentSinceMs?: number;
  /** The moment of the sweeper's next look. Set once the lease record is in the open index, where it stays until the end. */
  readonly lookAtMs?: number;
  /** The index of the last segment whose effects were performed, so that no driver redoes them. Each park writes it. */
  readonly performed?: number;
  /** The moment until which the invocation may stay open without an extension. Its items expire one retention later. */
  readonly keepUntilS: number;
  readonly deploymentId?: string;
  /** The place in the queue of the key, if the invocation waits or waited for the lock. */
  readonly ticket?: number;
  /** The gate of a pool at which the invocation waits: `place` or `start`, a blank, and the name of the pool. */
  readonly waitsAt?: string;
}

export interface LeaseRecordKey {
  readonly scheme: KeyScheme;
  readonly id: InvocationId;
  readonly nonce: Nonce;
  readonly target: Target;
  /** The moment of the acceptance. With it, lists of open invocations are sorted without a further read. */
  readonly createdAtMs: number;
  readonly expiresAtS: number;
}

export function leaseRecordItem(
  { scheme, id, nonce, target, createdAtMs, expiresAtS }: LeaseRecordKey,
  leaseRecord: LeaseRecord,
): Item {
  const { lookAtMs } = leaseRecord;
  return {
    ...leaseRecordKey(invocationPk(scheme.keyPrefix, id), nonce),
    ...(lookAtMs !== undefined && openKeys(scheme, id, lookAtMs)),
    base: leaseRecord.base,
    token: leaseRecord.token,
    untilMs: leaseRecord.untilMs,
    status: leaseRecord.status,
    attempts: leaseRecord.attempts,
    policyAttempts: leaseRecord.retries.policyAttempts,
    sinceEntry: leaseRecord.retries.sinceEntry,
    keepUntilS: leaseRecord.keepUntilS,
    ...targetAttributes(target),
    createdAtMs,
    expiresAtS,
    ...(leaseRecord.wakeAtMs !== undefined && { wakeAtMs: leaseRecord.wakeAtMs }),
    ...(leaseRecord.timerAtMs !== undefined && { timerAtMs: leaseRecord.timerAtMs }),
    ...(leaseRecord.performed !== undefined && { performed: leaseRecord.performed }),
    ...(leaseRecord.silentSinceMs !== undefined && { silentSinceMs: leaseRecord.silentSinceMs }),
    ...(leaseRecord.deploymentId !== undefined && { deploymentId: leaseRecord.deploymentId }),
    ...(lookAtMs !== undefined && { lookAtMs }),
    ...(leaseRecord.ticket !== undefined && { ticket: leaseRecord.ticket }),
    ...(leaseRecord.waitsAt !== undefined && { waitsAt: leaseRecord.waitsAt }),
    ...(leaseRecord.lastFailure && { lastFailure: JSON.stringify(leaseRecord.lastFailure) }),
  };
}

/**
 * The attributes that an update of the lease record never writes: its key, its place in the open index, and the moments that
 * the sweeper extends.
 */
const LEFT_ALONE: ReadonlySet<string> = new Set([
  "pk",
  "sk",
  "openPk",
  "openSk",
  "lookAtMs",
  "keepUntilS",
  "expiresAtS",
]);
const OPTIONAL = [
  "wakeAtMs",
  "timerAtMs",
  "performed",
  "silentSinceMs",
  "deploymentId",
  "ticket",
  "waitsAt",
  "lastFailure",
] as const;

/**
 * Makes an update of the stored lease record. The sweeper may note an invocation under a live lease; the note keeps the token.
 * So a driver that read the lease record before the note may still write, but must not overwrite the place in the open index.
 */
export function leaseRecordChange(key: LeaseRecordKey, leaseRecord: LeaseRecord): Update {
  const set: Record<string, ItemValue> = {};
  for (const [name, value] of Object.entries(leaseRecordItem(key, leaseRecord)))
    if (value !== undefined && !LEFT_ALONE.has(name)) set[name] = value;
  return { set, remove: OPTIONAL.filter((name) => set[name] === undefined) };
}

export function readLeaseRecord(item: Item): LeaseRecord {
  const number = (name: string): number | undefined =>
    typeof item[name] === "number" ? (item[name] as number) : undefined;
  const wakeAtMs = number("wakeAtMs");
  const timerAtMs = number("timerAtMs");
  const silentSinceMs = number("silentSinceMs");
  const lookAtMs = number("lookAtMs");
  const performed = number("performed");
  const ticket = number("ticket");
  const { token, status, lastFailure, deploymentId, waitsAt } = item as Record<string, unknown>;
  return {
    base: number("base") ?? 0,
    token: String(token) as Token,
    untilMs: number("untilMs") ?? 0,
    status: status as LeaseRecord["status"],
    attempts: number("attempts") ?? 0,
    retries: { policyAttempts: number("policyAttempts") ?? 0, sinceEntry: number("sinceEntry") ?? 0 },
    keepUntilS: number("keepUntilS") ?? 0,
    ...(wakeAtMs !== undefined && { wakeAtMs }),
    ...(timerAtMs !== undefined && { timerAtMs }),
    ...(silentSinceMs !== undefined && { silentSinceMs }),
    ...(lookAtMs !== undefined && { lookAtMs }),
    ...(performed !== undefined && { performed }),
    ...(ticket !== undefined && { ticket }),
    ...(typeof waitsAt === "string" && { waitsAt }),
    ...(typeof deploymentId === "string" && { deploymentId }),
    ...(typeof lastFailure === "string" && { lastFailure: JSON.parse(lastFailure) as AttemptFailure }),
  };
}

/**
 * Allows the update if the stored lease record has one of `tokens`: then no other process has claimed the invocation. Also
 * allows the update if the stored base is older, because then the lease in the last segment counts instead.
 */
export function changeCondition(base: number, tokens: readonly Token[]): Condition {
  const known = tokens.map((value): Condition => ({ kind: "equal", attribute: "token", value }));
  return { kind: "any", of: [{ kind: "less", attribute: "base", than: base }, ...known] };
}

/**
 * Allows the put if there is no lease record, if the stored base is older, or if the token is the one that the claimer read.
 * Then no other process has claimed the invocation since that read (docs/design.md#the-lease).
 */
export function claimCondition(base: number, read: Token | undefined): Condition {
  const free: Condition[] = [{ kind: "absent" }, { kind: "less", attribute: "base", than: base }];
  if (read !== undefined) free.push({ kind: "equal", attribute: "token", value: read });
  return { kind: "any", of: free };
}

/**
 * Allows a put of the driver with the tokens `mine` if there is no lease record, if the stored base is older, or if the base
 * is equal and the token is one of `mine`. Then no other process has taken over (docs/design.md#the-lease).
 */
export function keepCondition(base: number, mine: readonly Token[]): Condition {
  const held: Condition = {
    kind: "all",
    of: [
      { kind: "equal", attribute: "base", value: base },
      { kind: "any", of: mine.map((value) => ({ kind: "equal", attribute: "token", value })) },
    ],
  };
  return { kind: "any", of: [{ kind: "absent" }, { kind: "less", attribute: "base", than: base }, held] };
}
