/**
 * Judges the keys of a run: their state follows from the committed journals, invocations began in the order of acceptance, and
 * the locks are free.
 */
import type { Entry } from "../../../shared/core/invocation/entry.ts";
import type { StateChange } from "../../../shared/core/model/state-change.ts";
import { netEffect } from "../../../shared/core/object/keyed-state.ts";
import { stateOf } from "../../../shared/engine/operate/edit-state.ts";
import type { Loaded } from "../../../shared/engine/store/load.ts";
import { type Lock, readLock } from "../../../shared/engine/store/lock-record.ts";
import { inboxKey } from "../../../shared/engine/store/object-keys.ts";
import type { Item } from "../../../shared/engine/ports/table.ts";
import { SKEW_MS } from "./point.ts";
import type { Client } from "./client.ts";
import type { Scenario } from "./scenarios.ts";
import type { World } from "./world.ts";

const LOCK_PK = /^obj#(Box|Flow|Far|Pen)#(.*)$/;

/** @returns complaints */
export async function judgeKeys(
  world: World,
  client: Client,
  scenario: Scenario,
  invocations: readonly Loaded[],
): Promise<string[]> {
  const complaints = [...orderComplaints(client, invocations), ...handOverComplaints(world, client, invocations)];
  for (const item of world.table.all()) {
    const [, service = "", key = ""] = (item.sk === "lock" && LOCK_PK.exec(item.pk)) || [];
    if (service === "") continue;
    const lock = readLock(item);
    const ran = startsOf(invocations.filter(({ invocation }) => isOf(invocation.acceptance.target, service, key)));
    complaints.push(...lockComplaints(world, item, lock, service === "Flow" ? ran : []));
    const shown = textOf((await stateOf(world.observer(), { service, key }))!);
    const expected = scenario.states?.[key] ?? [textOf(replayed(ran, scenario))];
    if (!expected.includes(shown)) complaints.push(`the state of ${key} is ${shown}, and not ${expected.join(" or ")}`);
  }
  return complaints;
}

function isOf(target: { service: string; key?: string }, service: string, key: string): boolean {
  return target.service === service && target.key === key;
}

/** @returns the invocations that ran under a grant, in the order of their grants */
function startsOf(invocations: readonly Loaded[]): readonly Loaded[] {
  return invocations
    .filter(({ invocation }) => invocation.grant !== undefined)
    .sort((a, b) => a.invocation.grant! - b.invocation.grant!);
}

/** Applies the changes of all journals in order, except the entries that a restart copied. */
function replayed(ran: readonly Loaded[], { keptEntries = 0 }: Scenario): ReadonlyMap<string, Uint8Array> {
  const changes = ran.flatMap(({ invocation: { acceptance, journal } }) =>
    changesIn(journal.entries.slice(acceptance.source.kind === "restart" ? keptEntries + 1 : 0)),
  );
  const state = new Map<string, Uint8Array>();
  for (const [key, value] of netEffect(changes).last) if (value !== undefined) state.set(key, value);
  return state;
}

function changesIn(entries: readonly Entry[]): readonly StateChange[] {
  return entries.flatMap((entry) =>
    entry.kind === "command" && entry.command.kind === "change-state" ? [entry.command.change] : [],
  );
}

function textOf(state: ReadonlyMap<string, Uint8Array>): string {
  const sorted = [...state].sort(([a], [b]) => (a < b ? -1 : 1));
  return sorted.map(([name, value]) => `${name}=${Buffer.from(value).toString()}`).join(" ");
}

/**
 * The lock must have no holder and no open ticket. Exception: a completed run of a workflow stays the holder, and then the lock
 * must contain the moment at which the life of the workflow ends.
 */
function lockComplaints({ table }: World, { pk }: Item, lock: Lock, runs: readonly Loaded[]): string[] {
  const complaints: string[] = [];
  const isKept = runs.some(({ invocation }) => invocation.acceptance.nonce === lock.holder?.nonce);
  if (lock.holder !== undefined && !isKept) complaints.push(`${lock.holder.id} holds ${pk} still`);
  if (isKept && lock.goneAtMs === undefined) complaints.push(`the life of ${pk} has no end`);
  if (lock.head !== lock.tail) complaints.push(`${lock.tail - lock.head} tickets of ${pk} were not served`);
  const beyond = inboxKey(pk, lock.tail + 1).sk;
  for (const { pk: at, sk } of table.all())
    if (at === pk && sk.startsWith("inbox#") && sk >= beyond)
      complaints.push(`${sk} of ${pk} has a number that was not drawn`);
  return complaints;
}

/** I6: an invocation that was acknowledged before another was requested begins first. Children of one handler begin in order. */
function orderComplaints(client: Client, invocations: readonly Loaded[]): string[] {
  const { acknowledged } = client;
  const grants = new Map(invocations.map(({ invocation }) => [invocation.acceptance.id, invocation]));
  const complaints: string[] = [];
  const inOrder = (first: string, second: string): void => {
    const [a, b] = [first, second].map((id) => grants.get(id as Loaded["invocation"]["acceptance"]["id"]));
    if (a?.grant === undefined || b?.grant === undefined || a === b || hasLeft(client, a)) return;
    const sameKey = isOf(a.acceptance.target, b.acceptance.target.service, b.acceptance.target.key ?? "");
    if (sameKey && a.grant >= b.grant) complaints.push(`${second} began before ${first}, which was accepted earlier`);
  };
  for (const one of acknowledged)
    for (const other of acknowledged) if (one.toldAt < other.askedAt) inOrder(one.id, other.id);
  for (const { invocation } of invocations) {
    const children = [...invocation.journal.childIds].sort(([a], [b]) => a - b).map(([, id]) => id);
    for (const [at, child] of children.entries()) for (const later of children.slice(at + 1)) inOrder(child, later);
  }
  return complaints;
}

/**
 * A holder must have ended before its key is handed over; the clocks of the processes may differ by `SKEW_MS`. There is one
 * exception: an invocation that a pause took out of the queue may give away the key before its end, if the invocation did not
 * run under the grant that it gives away.
 */
function handOverComplaints({ table }: World, client: Client, invocations: readonly Loaded[]): string[] {
  const byLife = new Map(invocations.map(({ invocation }) => [lifeOf(invocation.acceptance), invocation]));
  return table.handOvers.flatMap(({ pk, from, grant, atMs }) => {
    const giver = byLife.get(lifeOf(from));
    if (giver === undefined || (hasLeft(client, giver) && giver.grant !== grant)) return [];
    const { phase } = giver;
    if (phase.status === "completed" && phase.endedAtMs <= atMs + SKEW_MS) return [];
    return [`${pk} was given away at ${atMs}, before its holder ${from.id} had ended`];
  });
}

/** True if the operator of the scenario paused the invocation, and the pause took the invocation out of the queue. */
function hasLeft({ leftQueue }: Client, { acceptance, leftQueueAt }: Loaded["invocation"]): boolean {
  return leftQueue.has(acceptance.id) && leftQueueAt !== undefined;
}

function lifeOf({ id, nonce }: { readonly id: string; readonly nonce: string }): string {
  return `${id}.${nonce}`;
}
