/** How often each program may have begun: once for each of its callers, and under a key once for all of them while it is kept. */
import type { Invocation } from "../../../shared/core/invocation/invocation.ts";
import { childrenOf } from "./expected.ts";
import type { Ask } from "./plan.ts";
import type { Program } from "./program.ts";

interface Life {
  readonly invocation: Invocation;
  readonly program: Program;
}

/** @param plan every request of a client; a request that is repeated later counts twice */
export function repeatComplaints(lives: readonly Life[], plan: readonly Ask[]): readonly string[] {
  const begun = new Map<string, Life[]>();
  // An invocation that ended before its first attempt has run nothing, and leaves its id to the next request.
  for (const life of lives)
    if (!isTombstone(life)) begun.set(life.program.name, [...(begun.get(life.program.name) ?? []), life]);
  const callers = new Map<string, number>();
  const add = (name: string, count: number): void => void callers.set(name, (callers.get(name) ?? 0) + count);
  // A client repeats a request with a key until it is answered, perhaps when the result of an earlier try is not kept any more.
  for (const { program, key, later } of plan)
    add(program.name, key !== undefined ? Infinity : later?.what === "again" ? 2 : 1);
  for (const of of begun.values()) for (const child of childrenOf(of[0]!.program)) add(child.name, of.length);
  return [...begun].flatMap(([name, of]) => {
    const ids = new Set(of.map(({ invocation }) => invocation.acceptance.id)).size;
    const most = callers.get(name) ?? 1;
    if (of.length <= most && (ids === 1 || ids <= idsOf(name, begun, plan))) return [];
    return [`${name} was accepted twice: ${of.length} times under ${ids} ids for ${most} callers`];
  });
}

/** Callers without a key make an invocation each; all callers with the same key make one. */
function idsOf(name: string, begun: ReadonlyMap<string, readonly Life[]>, plan: readonly Ask[]): number {
  const byClients = plan.some(({ program }) => program.name === name) ? 1 : 0;
  let byParents = 0;
  for (const of of begun.values())
    if (childrenOf(of[0]!.program).some((child) => child.name === name)) byParents = Math.max(byParents, of.length);
  return Math.max(byClients, byParents);
}

function isTombstone({ invocation: { phase } }: Life): boolean {
  return phase.status === "completed" && phase.tombstone;
}
