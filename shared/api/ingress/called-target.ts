/** Converts the path of a call to a route and a target. The type of the service decides whether the path has a key. */
import type { ServiceType, Target } from "../../core/model/target.ts";
import type { FoundRoute, Registry, Routing } from "../../engine/ports/registry.ts";
import { CALL_FORMS, decodeSegment, type CallPath } from "./ingress-path.ts";
import { IngressRefusal, notPublic, unknownHandler, unknownService } from "./ingress-refusal.ts";

export interface Called {
  readonly routing: FoundRoute;
  readonly target: Target;
  readonly oneWay: boolean;
}

const PLAIN_FORMS =
  "bad path, expected either /:service-name/:handler or /:object-name/:object-key/:handler, or one of them followed by /send";

/**
 * Guesses the handler from the form of the path and looks it up in the registry. If the type of the service contradicts
 * the guess, a second lookup follows. So a common path needs one lookup.
 * @throws IngressRefusal 404 for an unknown service or handler, 400 for a path of the wrong form or a private handler
 */
export async function calledTarget(registry: Registry, path: CallPath): Promise<Called> {
  const guess = likelyHandler(path);
  let routing = await registry.route(path.service, guess);
  const form = formFor(await typeOf(registry, path.service, routing), path);
  const { service } = path;
  const { handler } = form;
  if (handler !== guess) routing = await registry.route(service, handler);
  if (!routing.found) {
    throw routing.missing === "service" ? unknownService(service) : unknownHandler(service, handler);
  }
  if (!routing.route.settings.public) throw notPublic();
  const target = form.key === undefined ? { service, handler } : { service, handler, key: form.key };
  return { routing, target, oneWay: form.oneWay };
}

/** @throws IngressRefusal 404 */
export async function serviceType(registry: Registry, service: string): Promise<ServiceType> {
  return typeOf(registry, service, await registry.route(service, ""));
}

async function typeOf(registry: Registry, name: string, routing: Routing): Promise<ServiceType> {
  if (routing.found) return routing.route.service.type;
  const known =
    routing.missing === "service"
      ? undefined
      : (await registry.services()).find(({ service }) => service.name === name);
  if (known === undefined) throw unknownService(name);
  return known.service.type;
}

function likelyHandler({ spelling, rest }: CallPath): string {
  if (rest.length >= 2 && !(spelling === "plain" && rest.length === 2 && rest[1] === "send")) return rest[1]!;
  return rest[0] ?? "";
}

interface Form {
  readonly handler: string;
  readonly key?: string;
  readonly oneWay: boolean;
}

const KEYS: Readonly<Record<ServiceType, string>> = {
  service: "is a Service, whose calls have no key",
  object: "is a Virtual Object, whose calls have a key before the handler",
  workflow: "is a Workflow, whose calls have a key before the handler",
};

/** @throws IngressRefusal 400 */
function formFor(type: ServiceType, { spelling, service, rest }: CallPath): Form {
  const named = type === "service" ? 1 : 2;
  const sendFollows = spelling === "plain" && rest.length === named + 1 && rest[named] === "send";
  if (rest.length !== named && !sendFollows) {
    throw new IngressRefusal(400, `${spelling === "plain" ? PLAIN_FORMS : CALL_FORMS}; '${service}' ${KEYS[type]}`);
  }
  const oneWay = spelling === "send" || sendFollows;
  if (type === "service") return { handler: rest[0]!, oneWay };
  return { handler: rest[1]!, key: decodeSegment(rest[0]!, "key"), oneWay };
}
