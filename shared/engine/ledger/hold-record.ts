/** The hold as an item: who drives an invocation, or how it is parked, from the first park or takeover on. */
import type { ParkedStatus } from "../../core/invocation/transition.ts";
import type { Retries } from "../../core/invocation/segment.ts";
import type { AttemptFailure } from "../../core/model/attempt-failure.ts";
import type { InvocationId, Nonce, Token } from "../../core/model/ids.ts";
import type { Target } from "../../core/model/target.ts";
import { holdKey, invocationPk, type KeyScheme, openKeys } from "./item-keys.ts";
import type { Condition, Item, Scalar, Update } from "../ports/table.ts";

export interface Hold {
  /** The index of the last segment that its writer had loaded. */
  readonly base: number;
  readonly token: Token;
  /** The end of the lease; 0 when parked. */
  readonly untilMs: number;
  readonly status: ParkedStatus | "running" | "completed";
  readonly wakeAtMs?: number;
  /** A far moment for which a timer is known to stand: whoever parks until that moment sets none. */
  readonly timerAtMs?: number;
  readonly attempts: number;
  readonly retries: Retries;
  readonly lastFailure?: AttemptFailure;
  /** A deployment that took the running attempt has sent nothing since. */
  readonly silentSinceMs?: number;
  /** Whether it stands in the open index; once there it stays until the invocation has completed. */
  readonly lookAtMs?: number;
  /** The last segment whose effects are known to be performed: nobody performs them again. Written with each park. */
  readonly performed?: number;
  /** Until when the invocation may stay open: its items outlive that by the retention, as far as anybody extended them. */
  readonly keepUntilS: number;
  readonly deploymentId?: string;
  /** The place in the queue of its key, of one that waits or has waited for the lock. */
  readonly ticket?: number;
}

export interface HoldPlace {
  readonly scheme: KeyScheme;
  readonly id: InvocationId;
  readonly nonce: Nonce;
  readonly target: Target;
  /** Of the acceptance: what is open is listed by it without a look at each. */
  readonly createdAtMs: number;
  readonly expiresAtS: number;
}

export function holdItem({ scheme, id, nonce, target, createdAtMs, expiresAtS }: HoldPlace, hold: Hold): Item {
  const { lookAtMs } = hold;
  return {
    ...holdKey(invocationPk(scheme.keyPrefix, id), nonce),
    ...(lookAtMs !== undefined && openKeys(scheme, id, lookAtMs)),
    base: hold.base,
    token: hold.token,
    untilMs: hold.untilMs,
    status: hold.status,
    attempts: hold.attempts,
    policyAttempts: hold.retries.policyAttempts,
    sinceEntry: hold.retries.sinceEntry,
    keepUntilS: hold.keepUntilS,
    service: target.service,
    handler: target.handler,
    createdAtMs,
    expiresAtS,
    ...(target.key !== undefined && { objectKey: target.key }),
    ...(hold.wakeAtMs !== undefined && { wakeAtMs: hold.wakeAtMs }),
    ...(hold.timerAtMs !== undefined && { timerAtMs: hold.timerAtMs }),
    ...(hold.performed !== undefined && { performed: hold.performed }),
    ...(hold.silentSinceMs !== undefined && { silentSinceMs: hold.silentSinceMs }),
    ...(hold.deploymentId !== undefined && { deploymentId: hold.deploymentId }),
    ...(lookAtMs !== undefined && { lookAtMs }),
    ...(hold.ticket !== undefined && { ticket: hold.ticket }),
    ...(hold.lastFailure && { lastFailure: JSON.stringify(hold.lastFailure) }),
  };
}

/** What a claim or a renewal never touches: the key, the place in the open index, and what the sweeper has extended. */
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
  "lastFailure",
] as const;

/**
 * The same hold as a change of the one that stands. A note of the sweeper under a live lease keeps the token, so that
 * whoever read the hold before the note may still write: such a writer must not write the place in the index away.
 */
export function holdChange(place: HoldPlace, hold: Hold): Update {
  const set: Record<string, Scalar> = {};
  for (const [name, value] of Object.entries(holdItem(place, hold)))
    if (value !== undefined && !LEFT_ALONE.has(name)) set[name] = value;
  return { set, remove: OPTIONAL.filter((name) => set[name] === undefined) };
}

export function readHold(item: Item): Hold {
  const number = (name: string): number | undefined =>
    typeof item[name] === "number" ? (item[name] as number) : undefined;
  const wakeAtMs = number("wakeAtMs");
  const timerAtMs = number("timerAtMs");
  const silentSinceMs = number("silentSinceMs");
  const lookAtMs = number("lookAtMs");
  const performed = number("performed");
  const ticket = number("ticket");
  const { token, status, lastFailure, deploymentId } = item as Record<string, unknown>;
  return {
    base: number("base") ?? 0,
    token: String(token) as Token,
    untilMs: number("untilMs") ?? 0,
    status: status as Hold["status"],
    attempts: number("attempts") ?? 0,
    retries: { policyAttempts: number("policyAttempts") ?? 0, sinceEntry: number("sinceEntry") ?? 0 },
    keepUntilS: number("keepUntilS") ?? 0,
    ...(wakeAtMs !== undefined && { wakeAtMs }),
    ...(timerAtMs !== undefined && { timerAtMs }),
    ...(silentSinceMs !== undefined && { silentSinceMs }),
    ...(lookAtMs !== undefined && { lookAtMs }),
    ...(performed !== undefined && { performed }),
    ...(ticket !== undefined && { ticket }),
    ...(typeof deploymentId === "string" && { deploymentId }),
    ...(typeof lastFailure === "string" && { lastFailure: JSON.parse(lastFailure) as AttemptFailure }),
  };
}

/**
 * May change the hold that stands under one of `tokens`: no other process has taken the invocation since. A hold of an
 * older base says nothing, because the lease inside the last segment counts: it is no obstacle.
 */
export function changeCondition(base: number, tokens: readonly Token[]): Condition {
  const known = tokens.map((value): Condition => ({ kind: "equal", attribute: "token", value }));
  return { kind: "any", of: [{ kind: "less", attribute: "base", than: base }, ...known] };
}

/** May put a hold in the place of what `read` described: nobody has taken the invocation since (design §2, claim). */
export function claimCondition(base: number, read: Token | undefined): Condition {
  const free: Condition[] = [{ kind: "absent" }, { kind: "less", attribute: "base", than: base }];
  if (read !== undefined) free.push({ kind: "equal", attribute: "token", value: read });
  return { kind: "any", of: free };
}

/** May write as the driver whose token is one of `mine`: nobody took over since (design §2, park). */
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
