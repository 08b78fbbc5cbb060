/** The parts that commands share: how each is read from a message, written as JSON, and shown. */
import type { Result } from "../model/failure.ts";
import type { Header } from "../model/header.ts";
import type { Infer } from "../model/proto3.ts";
import { type LimitKey, parseLimitKey, type Scope } from "../model/scope.ts";
import { type Target, targetText } from "../model/target.ts";
import {
  type FailureMessage,
  failureFromWire,
  type IdempotentTargetMessage,
  type HeaderMessage,
  type ValueMessage,
  type WorkflowTargetMessage,
} from "./wire-values.ts";

/** The three ways in which a command names an invocation: by its id, by its idempotency key, or by its workflow. */
export type Lookup =
  | { readonly kind: "id"; readonly invocationId: string }
  | { readonly kind: "idempotency"; readonly target: Target; readonly idempotencyKey: string }
  | { readonly kind: "workflow"; readonly service: string; readonly key: string; readonly scope?: Scope };

export type SignalName = { readonly index: number } | { readonly name: string };

/** The built-in signal for a cancel. */
export const CANCEL_SIGNAL = 1;

/** The child of a Call or OneWayCall, with key, input and headers exactly as the handler gave them. */
export interface ChildRequest {
  readonly target: Target;
  readonly input: Uint8Array;
  readonly headers: readonly Header[];
  readonly idempotencyKey?: string;
  /** Only with a scope of the target. */
  readonly limitKey?: LimitKey;
  /** The id of the completion that contains the child's invocation id. */
  readonly idCompletionId: number;
}

/** The fact by which a reader recognises a command; few handlers name their commands. */
export interface CommandFacts {
  /** The key of the state or the promise, for commands about them. */
  readonly key?: string;
  /** The target of a call, a send or an attach. */
  readonly target?: string;
  /** The invocation that a command created, found or signals. */
  readonly invocationId?: string;
  /** The name or the index of a signal, or the id of an awakeable. */
  readonly signal?: string;
  /** When a sleep ends. */
  readonly wakeAtMs?: number;
}

interface ChildMessage {
  readonly serviceName: string;
  readonly handlerName: string;
  readonly key: string;
  readonly idempotencyKey?: string;
  readonly scope?: string;
  readonly limitKey?: string;
  readonly parameter: Uint8Array;
  readonly headers: readonly Infer<typeof HeaderMessage>[];
  readonly invocationIdNotificationIdx: number;
}

export interface LookupMessage {
  readonly invocationId?: string | undefined;
  readonly idempotentRequest?: Infer<typeof IdempotentTargetMessage>;
  readonly workflow?: Infer<typeof WorkflowTargetMessage>;
}

export interface ResultMessage {
  readonly value?: Infer<typeof ValueMessage> | undefined;
  readonly failure?: Infer<typeof FailureMessage> | undefined;
}

/**
 * Leaves an empty key out, because only the type of the service decides whether the target has a key (`withKey`). A scope and a
 * limit key of another form stay as they came, and `rejectionOf` refuses their command before it is stored.
 */
export function childOf(message: ChildMessage): ChildRequest {
  const { serviceName: service, handlerName: handler, key, idempotencyKey, limitKey } = message;
  return {
    target: { service, handler, ...(key !== "" && { key }), ...inScope(message.scope) },
    input: message.parameter,
    headers: message.headers,
    ...(limitKey !== undefined && limitKey !== "" && { limitKey: parseLimitKey(limitKey) ?? (limitKey as LimitKey) }),
    idCompletionId: message.invocationIdNotificationIdx,
    ...(idempotencyKey !== undefined && { idempotencyKey }),
  };
}

function inScope(scope: string | undefined): { readonly scope?: Scope } {
  return scope === undefined ? {} : { scope: scope as Scope };
}

export function resultOf({ value, failure }: ResultMessage): Result | undefined {
  if (value !== undefined) return { kind: "success", value: value.content };
  return failure === undefined ? undefined : { kind: "failure", failure: failureFromWire(failure) };
}

/** The result of a command that must have one; without bytes it is an empty success. */
export function settled(result: Result | undefined): Result {
  return result ?? { kind: "success", value: new Uint8Array(0) };
}

export function lookupOf({ invocationId, idempotentRequest, workflow }: LookupMessage): Lookup {
  if (idempotentRequest !== undefined) {
    const { serviceName: service, handlerName: handler, serviceKey: key, idempotencyKey, scope } = idempotentRequest;
    const target = { service, handler, ...(key !== undefined && { key }), ...inScope(scope) };
    return { kind: "idempotency", target, idempotencyKey };
  }
  if (workflow !== undefined)
    return { kind: "workflow", service: workflow.workflowName, key: workflow.workflowKey, ...inScope(workflow.scope) };
  return { kind: "id", invocationId: invocationId ?? "" };
}

export function factsOfLookup(lookup: Lookup): CommandFacts {
  switch (lookup.kind) {
    case "id":
      return { invocationId: lookup.invocationId };
    case "idempotency":
      return { target: targetText(lookup.target) };
    case "workflow":
      return { target: `${lookup.service}/${lookup.key}` };
  }
}

export function signalText(signal: SignalName): string {
  return "name" in signal ? signal.name : String(signal.index);
}

export function valueOf(result: Result | undefined): Uint8Array | undefined {
  return result?.kind === "success" ? result.value : undefined;
}

export function lookupJson(lookup: Lookup): object {
  switch (lookup.kind) {
    case "id":
      return { InvocationId: lookup.invocationId };
    case "idempotency": {
      const { service, handler, key, scope } = lookup.target;
      const { idempotencyKey } = lookup;
      return {
        IdempotentRequest: {
          service_name: service,
          service_key: key ?? null,
          service_handler: handler,
          idempotency_key: idempotencyKey,
          ...(scope !== undefined && { scope }),
        },
      };
    }
    case "workflow":
      return { Workflow: { service_name: lookup.service, key: lookup.key, ...inScope(lookup.scope) } };
  }
}

export function signalJson(signal: SignalName): object {
  return "index" in signal ? { Index: signal.index } : { Name: signal.name };
}

export function resultJson(result: Result | undefined): unknown {
  if (result === undefined) return "Void";
  return result.kind === "success"
    ? { Success: [...result.value] }
    : { Failure: { code: result.failure.code, message: result.failure.message } };
}
