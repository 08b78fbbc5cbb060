/** A target: the service, the handler, the key of an object or a workflow, and the scope that an invocation addresses. */
import type { Scope } from "./scope.ts";

export type ServiceType = "service" | "object" | "workflow";

/**
 * `service`: a handler without a key. `exclusive`: a handler that holds its key while it runs. `shared`: a handler that does
 * not hold its key. `workflow`: the run of a workflow.
 */
export type HandlerType = "service" | "exclusive" | "shared" | "workflow";

/** How a handler treats its key. An invocation keeps these types from its acceptance to its end. */
export interface TargetTypes {
  readonly serviceType: ServiceType;
  readonly handlerType: HandlerType;
}

export interface Target {
  readonly service: string;
  readonly handler: string;
  /** The object key or workflow id; absent for plain services. An empty text is a valid key. */
  readonly key?: string;
  /** A key in a scope is another one than the same key in another scope, or in none. */
  readonly scope?: Scope;
}

/** The parts of a target that name the key of an object or a workflow. */
export type KeyOwner = Pick<Target, "service" | "key" | "scope">;

/**
 * Formats a target as the tables of the reference server do: `Service/handler` or `Object/key/handler`. The key is not escaped.
 */
export function targetText(target: Target): string {
  const { service, handler, key } = target;
  return key === undefined ? `${service}/${handler}` : `${service}/${key}/${handler}`;
}

/** The service of a formatted target. This is exact, because a service name contains no slash. */
export function serviceOf(text: string): string {
  return text.split("/", 1)[0]!;
}
