/** The changes that a registration or an update of a deployment makes: service by service, and handler by handler. */
import type { HandlerBody, ServiceBody } from "../contract/services.ts";

export interface HandlerChange {
  readonly kind: "added" | "removed" | "changed" | "same";
  /** The handler as the new revision has it; if the new revision removes the handler, as the earlier revision has it. */
  readonly handler: HandlerBody;
  /** The members that differ, for a changed handler. */
  readonly differing: readonly string[];
}

export interface ServiceChange {
  readonly service: ServiceBody;
  /** The latest registered revision; undefined for a new service. */
  readonly before: ServiceBody | undefined;
  /** The members of the service itself that differ. */
  readonly differing: readonly string[];
  /** The handlers of the new revision, followed by the handlers that it removes. */
  readonly handlers: readonly HandlerChange[];
}

/** Members that the comparison leaves out: they differ in every revision, or `handlers` shows them. */
const NOT_COMPARED: ReadonlySet<string> = new Set(["deployment_id", "revision", "handlers", "info"]);

/** @param before the latest registered revisions; the function ignores those of services that are not in `planned` */
export function registrationPlan(
  planned: readonly ServiceBody[],
  before: readonly ServiceBody[],
): readonly ServiceChange[] {
  const known = new Map(before.map((service) => [service.name, service]));
  return planned.map((service) => {
    const earlier = known.get(service.name);
    return {
      service,
      before: earlier,
      differing: earlier === undefined ? [] : differing(earlier, service),
      handlers: handlerChanges(service, earlier),
    };
  });
}

function handlerChanges(service: ServiceBody, before: ServiceBody | undefined): readonly HandlerChange[] {
  const earlier = new Map(before?.handlers.map((handler) => [handler.name, handler]));
  const now = new Set(service.handlers.map(({ name }) => name));
  return [
    ...service.handlers.map((handler) => handlerChange(handler, earlier.get(handler.name))),
    ...[...earlier.values()]
      .filter(({ name }) => !now.has(name))
      .map((handler) => ({ kind: "removed" as const, handler, differing: [] })),
  ];
}

function handlerChange(handler: HandlerBody, before: HandlerBody | undefined): HandlerChange {
  if (before === undefined) return { kind: "added", handler, differing: [] };
  const names = differing(before, handler);
  return { kind: names.length === 0 ? "same" : "changed", handler, differing: names };
}

/**
 * The names of the members that differ. Both objects come from the same server, which writes the members of an object in
 * one order, so their texts can be compared.
 */
function differing(before: object, after: object): readonly string[] {
  const [earlier, later] = [new Map(Object.entries(before)), new Map(Object.entries(after))];
  const names = [...new Set([...earlier.keys(), ...later.keys()])].filter((name) => !NOT_COMPARED.has(name));
  return names.filter((name) => JSON.stringify(earlier.get(name)) !== JSON.stringify(later.get(name)));
}
