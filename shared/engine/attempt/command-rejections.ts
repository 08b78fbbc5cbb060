/**
 * Rejections of commands before they are stored: RT0017 for a failed precondition, RT0018 for an unknown handler, RT0020 for a
 * deployment that takes no new work, RT0024 for a misused scope.
 */
import type { Acceptance } from "../../core/invocation/acceptance.ts";
import type { CommandEntry } from "../../core/invocation/entry.ts";
import { type Command, type CommandName, commandRow } from "../../core/protocol/commands.ts";
import type { ChildRequest, Lookup } from "../../core/protocol/command-parts.ts";
import { IdError, parseInvocationId } from "../../core/model/ids.ts";
import { optionsIn } from "../../core/model/request-options.ts";
import { LIMIT_KEY_FORM, parseLimitKey, parseScope, SCOPE_FORM } from "../../core/model/scope.ts";
import type { Target, TargetTypes } from "../../core/model/target.ts";
import { keptName } from "../../core/model/attempt-failure.ts";
import { parseAwakeableId } from "../../core/protocol/awakeable-id.ts";
import type { EngineSettings } from "../ports/engine-settings.ts";
import { deprecation } from "../ports/protocol-range.ts";
import type { Routing } from "../ports/registry.ts";

export interface CommandRejection {
  readonly errorCode: "RT0017" | "RT0018" | "RT0020" | "RT0024";
  readonly why: string;
}

type Kind = Pick<Acceptance, "serviceType" | "handlerType">;

function refusalOfKeyed(type: CommandName, { serviceType, handlerType }: Kind): CommandRejection | undefined {
  const { needs } = commandRow(type);
  if (needs === "promises" && serviceType !== "workflow")
    return { errorCode: "RT0017", why: "only the handlers of a workflow have promises" };
  if (serviceType === "service" && (needs === "state" || needs === "state-to-change"))
    return { errorCode: "RT0017", why: "the handler of a plain service has no state" };
  if (needs === "state-to-change" && handlerType === "shared")
    return { errorCode: "RT0017", why: "a shared handler reads the state and does not change it" };
  return undefined;
}

/**
 * The name in a command becomes part of an item. An item with a longer name could never be written, so the effect of its
 * command could never be performed.
 */
const NAME_MAX_BYTES = 65_536;
const TEXT = new TextEncoder();

function refusalOfName(command: Command): CommandRejection | undefined {
  const name = nameIn(command) ?? "";
  // A UTF-16 code unit takes at most three bytes in UTF-8.
  if (3 * name.length <= NAME_MAX_BYTES) return undefined;
  const sizeBytes = TEXT.encode(name).length;
  if (sizeBytes <= NAME_MAX_BYTES) return undefined;
  return { errorCode: "RT0017", why: `a key or a name has ${sizeBytes} bytes, and at most ${NAME_MAX_BYTES} fit` };
}

function nameIn(command: Command): string | undefined {
  if ("child" in command) return command.child.target.key;
  if ("change" in command) return "key" in command.change ? command.change.key : undefined;
  if ("signal" in command) return "name" in command.signal ? command.signal.name : undefined;
  if ("key" in command) return command.key;
  return "name" in command ? command.name : undefined;
}

/** Checks a command without asking the registry. `rejectionOfChild` checks the child of a call or a send. */
export function rejectionOf({ type, command }: CommandEntry, kind: Kind): CommandRejection | undefined {
  const keyed = refusalOfKeyed(type, kind) ?? refusalOfName(command);
  if (keyed !== undefined) return keyed;
  if ("invocationId" in command) return unreadable(() => parseInvocationId(command.invocationId), command.invocationId);
  if ("awakeableId" in command) return unreadable(() => parseAwakeableId(command.awakeableId), command.awakeableId);
  if ("child" in command) return refusalOfScope(command.child.target) ?? refusalOfLimitKey(command.child);
  return "lookup" in command ? refusalOfLookup(command.lookup) : undefined;
}

function refusalOfScope({ scope }: Pick<Target, "scope">): CommandRejection | undefined {
  if (scope === undefined || parseScope(scope) !== undefined) return undefined;
  return { errorCode: "RT0024", why: `the scope '${keptName(scope)}' is not ${SCOPE_FORM}` };
}

function refusalOfLimitKey({ target, limitKey }: ChildRequest): CommandRejection | undefined {
  if (limitKey === undefined) return undefined;
  if (parseLimitKey(limitKey) === undefined)
    return { errorCode: "RT0024", why: `the limit key '${keptName(limitKey)}' is not ${LIMIT_KEY_FORM}` };
  if (target.scope !== undefined) return undefined;
  return { errorCode: "RT0024", why: "a limit key was given without a scope, and only the limits of a scope count it" };
}

export function rejectionOfChild(
  { target, idempotencyKey, headers }: ChildRequest,
  routing: Routing,
  settings: EngineSettings,
): CommandRejection | undefined {
  const { service, handler, key } = target;
  if (!routing.found) return { errorCode: "RT0018", why: `the service handler ${service}/${handler} was not found` };
  if (routing.route.service.type === "service" && key !== undefined)
    return { errorCode: "RT0017", why: `a key was given for the unkeyed service ${service}` };
  const deprecated = deprecation(settings, routing.route.deployment);
  if (deprecated !== undefined) return { errorCode: "RT0020", why: deprecated };
  if (idempotencyKey === "") return { errorCode: "RT0017", why: "the idempotency key is empty" };
  const options = optionsIn(headers);
  if (typeof options === "string") return { errorCode: "RT0017", why: options };
  if (options.singleton === undefined) return undefined;
  const why =
    "only a request over HTTP can have 'x-stepwell-singleton'; a handler can give its call an idempotency key, such as 'invoice-7'";
  return { errorCode: "RT0017", why };
}

function refusalOfLookup(lookup: Lookup): CommandRejection | undefined {
  if (lookup.kind === "workflow") return refusalOfScope(lookup);
  if (lookup.kind === "idempotency") return refusalOfScope(lookup.target);
  return unreadable(() => parseInvocationId(lookup.invocationId), lookup.invocationId);
}

function unreadable(parse: () => unknown, id: string): CommandRejection | undefined {
  try {
    parse();
    return undefined;
  } catch (error) {
    if (!(error instanceof IdError)) throw error;
    return { errorCode: "RT0017", why: `'${id}' is no id: ${error.message}` };
  }
}

/** The protocol does not distinguish a missing key from an empty key, so the type of the service decides. */
export function withKey(child: ChildRequest, { serviceType }: Pick<TargetTypes, "serviceType">): ChildRequest {
  const { target } = child;
  if (serviceType === "service" || target.key !== undefined) return child;
  return { ...child, target: { ...target, key: "" } };
}
