/** From what a deployment sent to entries: each command is checked, and followed by what its commit completes at once. */
import type { ChildRequest, CommandEntry, Entry, Lookup } from "../core/invocation/entry.ts";
import { IdError, parseInvocationId } from "../core/model/ids.ts";
import { parseAwakeableId } from "../core/protocol/awakeable-id.ts";
import { NOTIFICATIONS } from "../core/protocol/notification-messages.ts";
import type { Received } from "../core/protocol/received.ts";
import type { Failing } from "./attempt-failures.ts";
import type { Engine } from "./engine.ts";
import { childIdEntry, commandEntry, notificationEntry } from "./entries.ts";
import type { Held } from "./held.ts";
import { childId } from "./invocation-ids.ts";
import type { Routing } from "./registry.ts";

/** What state and promises need, and plain services have not (RT0017). */
const KEYED_ONLY = new Set([
  "GetLazyState",
  "GetLazyStateKeys",
  "GetEagerState",
  "GetEagerStateKeys",
  "SetState",
  "ClearState",
  "ClearAllState",
  "GetPromise",
  "PeekPromise",
  "CompletePromise",
]);

export interface Expanded {
  readonly entries: readonly Entry[];
  /** Why the list ends before its end: this command and all after it are discarded, and the attempt has failed. */
  readonly refused?: Failing;
}

export async function expand(engine: Engine, held: Held, received: readonly Received[]): Promise<Expanded> {
  const entries: Entry[] = [];
  let commandIndex = held.invocation.journal.commandCount;
  for (const item of received) {
    if (item.kind === "proposal") {
      entries.push(notificationEntry(item.frame, NOTIFICATIONS.RunCompletion));
      continue;
    }
    const entry = commandEntry(item, item.frame);
    const { command } = entry;
    const isChild = command.kind === "call" || command.kind === "send";
    let refusal = refusalOf(entry);
    if (isChild) {
      const { service, handler } = command.child.target;
      const routing = engine.registry.known(service, handler) ?? (await engine.registry.route(service, handler));
      refusal ??= refusalOfChild(command.child, routing);
    }
    if (refusal !== undefined) return { entries, refused: refusedBy(refusal, entry, commandIndex) };
    entries.push(entry);
    if (isChild) {
      entries.push(
        childIdEntry(
          command.child.idCompletionId,
          childId(engine, held.invocation.acceptance, commandIndex, command.child),
        ),
      );
    }
    commandIndex++;
  }
  return { entries };
}

interface Refusal {
  readonly errorCode: "RT0017" | "RT0018";
  readonly why: string;
}

function refusedBy({ errorCode, why }: Refusal, { type, name }: CommandEntry, index: number): Failing {
  const message = `cannot process command ${type} (command index ${index}) because of a failed precondition: ${why}`;
  return { errorCode, code: 500, message, relatedCommand: { index, type, ...(name !== "" && { name }) } };
}

/** What can be told without asking anybody; a child is asked for after it. */
function refusalOf({ type, command }: CommandEntry): Refusal | undefined {
  if (KEYED_ONLY.has(type))
    return { errorCode: "RT0017", why: "the handler of a plain service has no state and no promises" };
  switch (command.kind) {
    case "signal":
      return unreadable(() => parseInvocationId(command.invocationId), command.invocationId);
    case "complete-awakeable":
      return unreadable(() => parseAwakeableId(command.awakeableId), command.awakeableId);
    case "attach":
    case "get-output":
      return refusalOfLookup(command.lookup);
    case "call":
    case "send":
    case "plain":
    case "output":
    case "run":
    case "sleep":
      return undefined;
  }
}

function refusalOfChild({ target, idempotencyKey }: ChildRequest, routing: Routing): Refusal | undefined {
  const { service, handler, key } = target;
  if (!routing.found) return { errorCode: "RT0018", why: `the service handler ${service}/${handler} was not found` };
  if (routing.route.service.type !== "service") {
    return {
      errorCode: "RT0018",
      why: `${service} is an object or a workflow, which this version registers but does not call yet`,
    };
  }
  if (key !== undefined) return { errorCode: "RT0017", why: `a key was given for the unkeyed service ${service}` };
  if (idempotencyKey === "") return { errorCode: "RT0017", why: "the idempotency key is empty" };
  return undefined;
}

function refusalOfLookup(lookup: Lookup): Refusal | undefined {
  if (lookup.kind !== "id") return undefined;
  return unreadable(() => parseInvocationId(lookup.invocationId), lookup.invocationId);
}

function unreadable(parse: () => unknown, id: string): Refusal | undefined {
  try {
    parse();
    return undefined;
  } catch (error) {
    if (!(error instanceof IdError)) throw error;
    return { errorCode: "RT0017", why: `'${id}' is no id: ${error.message}` };
  }
}
