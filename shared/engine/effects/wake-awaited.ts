/**
 * Wakes the invocations whose results an invocation lacks after a call or an attach. A woken invocation goes on, or delivers its
 * result again.
 */
import { awaitedCompletions } from "../../core/model/await-tree.ts";
import type { InvocationId } from "../../core/model/ids.ts";
import { AT_ONCE, atMost } from "../bulkheads/at-most.ts";
import type { Engine } from "../engine.ts";
import type { ActiveInvocation } from "../local/active-invocation.ts";
import type { Loaded } from "../store/load.ts";
import { idOfLookup } from "../accept/invocation-ids.ts";
import { type Recipient, sendWake } from "../messaging/wake.ts";

/**
 * Sends a message for each awaited invocation without a result.
 * @param parkedChildren completion ids of children that have just parked and set their own wakes, so that they need no second
 *   wake
 */
export async function wakeAwaited(
  engine: Engine,
  waiting: Pick<Loaded, "invocation" | "arrivals">,
  parkedChildren: ReadonlySet<number> = new Set(),
): Promise<void> {
  await atMost(AT_ONCE, awaited(engine, waiting, parkedChildren), (one) => sendWake(engine, one, 0));
}

/** @returns the invocations that a suspended invocation called or attached to, and whose results it awaits and still lacks */
export function awaited(
  engine: Engine,
  { invocation: { phase, journal }, arrivals }: Pick<Loaded, "invocation" | "arrivals">,
  parkedChildren: ReadonlySet<number> = new Set(),
): readonly Recipient[] {
  if (phase.status !== "suspended") return [];
  return unanswered(engine, { journal, arrivals }, awaitedCompletions(phase.awaiting), parkedChildren);
}

/**
 * Sends a message for each call and each attach whose result the journal and the inbox do not have. The driver calls this
 * function during an open exchange, because an earlier driver may have died before it sent these messages.
 */
export async function wakeUnanswered(engine: Engine, { invocation, inbox, children }: ActiveInvocation): Promise<void> {
  const { journal } = invocation;
  const known = new Set([...children.parked, ...children.driven]);
  const recipients = unanswered(engine, { journal, arrivals: inbox.arrivals }, journal.open.keys(), known);
  await atMost(AT_ONCE, recipients, (one) => sendWake(engine, one, 0));
}

function unanswered(
  engine: Engine,
  { journal, arrivals }: Pick<Loaded["invocation"], "journal"> & Pick<Loaded, "arrivals">,
  completionIds: Iterable<number>,
  parkedChildren: ReadonlySet<number>,
): readonly Recipient[] {
  const found: Recipient[] = [];
  for (const completionId of completionIds) {
    const command = journal.completable.get(completionId)?.entry.command;
    if (journal.completed.has(completionId) || arrivals.has(`c${completionId}`)) continue;
    if (parkedChildren.has(completionId)) continue;
    if (command?.kind === "attach") {
      const { lookup } = command;
      const id = idOfLookup(engine, lookup);
      const target = lookup.kind === "idempotency" ? lookup.target : lookup.kind === "workflow" ? lookup : undefined;
      if (id !== undefined) found.push({ id, ...(target && { target }) });
    }
    if (command?.kind === "call" && command.completionId === completionId) {
      const { idCompletionId, target } = command.child;
      const id = journal.childIds.get(idCompletionId);
      if (id !== undefined) found.push({ id: id as InvocationId, target });
    }
  }
  return found;
}
