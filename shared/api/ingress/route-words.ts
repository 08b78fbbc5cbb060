/** The log fields of a request's route: kind, service and invocation, without object, workflow and idempotency keys. */
import type { LogFields } from "../../engine/ports/log.ts";
import { parseIngressPath } from "./ingress-path.ts";

/** @param path the path of a routed request @returns only the kind of route if the path names nothing more */
export function routeWords(path: string): LogFields {
  try {
    const parsed = parseIngressPath(path);
    switch (parsed.kind) {
      case "call":
      case "idempotent":
        return { route: parsed.kind, service: parsed.service };
      case "workflow":
        return { route: parsed.kind, service: parsed.name };
      case "invocation":
        return { route: parsed.kind, invocationId: parsed.id };
      default:
        return { route: parsed.kind };
    }
  } catch {
    return { route: "none" };
  }
}
