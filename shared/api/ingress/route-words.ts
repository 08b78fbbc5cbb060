/** A request's route in words for the log: kind, service and invocation, and no key of an object, a workflow or a caller. */
import type { LogFields } from "../../engine/ports/log.ts";
import { parseIngressPath } from "./ingress-path.ts";

/** @param path of a request that was routed @returns nothing but the kind of route where the path names no more */
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
