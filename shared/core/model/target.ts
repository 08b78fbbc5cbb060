/** A target: the service, the handler and, for objects and workflows, the key that an invocation addresses. */

export type ServiceType = "service" | "object" | "workflow";

/** How a handler may run: `service` has no key, `exclusive` holds the key, `shared` does not, `workflow` is the run handler. */
export type HandlerType = "service" | "exclusive" | "shared" | "workflow";

export interface Target {
  readonly service: string;
  readonly handler: string;
  /** The object key or workflow id; absent for plain services. An empty text is a valid key. */
  readonly key?: string;
}

/** Formats a target as the reference's tables do: `Service/handler` or `Object/key/handler`, with the key unescaped. */
export function targetText(target: Target): string {
  const { service, handler, key } = target;
  return key === undefined ? `${service}/${handler}` : `${service}/${key}/${handler}`;
}

/** The service of a formatted target; a service name contains no slash. */
export function serviceOf(text: string): string {
  return text.split("/", 1)[0]!;
}
