/** Routes requests by the kind of destination: an address over HTTP, or a function on Lambda. */
import type { Endpoints } from "../engine/ports/endpoints.ts";

export function endpointsByDestination({ https, lambda }: Readonly<Record<"https" | "lambda", Endpoints>>): Endpoints {
  return { open: (request) => ("arn" in request.destination ? lambda : https).open(request) };
}
