/** `POST /internal/services/{service}/handlers/{handler}/call` and `/send`: an operator calls a handler through the admin API. */
import type { HttpResponse } from "../http/message.ts";
import { HttpProblem } from "../http/problem.ts";
import type { AdminRequest } from "./admin-request.ts";

/** Its presence makes a browser ask for permission first, which this API never gives to pages of other origins. */
const PROOF = "x-requested-with";
/** The headers of the request that are part of the call; all others belong to the exchange with the admin API. */
const PASSED = ["content-type", "accept", "idempotency-key", "traceparent"];

export const callHandler = (asked: AdminRequest): Promise<HttpResponse> => viaIngress(asked, "call");
export const sendToHandler = (asked: AdminRequest): Promise<HttpResponse> => viaIngress(asked, "send");

/**
 * The ingress answers, with its own rules and errors. Query: `key` names the object or the workflow; `delay` is that of a send.
 * A page of another origin could send such a request without the header `x-requested-with`, so the route requires it.
 */
async function viaIngress({ deps, request, params }: AdminRequest, verb: "call" | "send"): Promise<HttpResponse> {
  if (request.headers[PROOF] === undefined) {
    throw new HttpProblem(403, `This route calls a handler, so it needs the header ${PROOF}, with any value`);
  }
  if (deps.ingress === undefined) throw new HttpProblem(501, "This server does not call handlers for operators");
  const query = new URLSearchParams(request.query);
  const [key, delay] = [query.get("key"), query.get("delay")];
  const target = [params["service"] ?? "", ...(key === null ? [] : [encodeURIComponent(key)]), params["handler"] ?? ""];
  const headers = PASSED.flatMap((name) => {
    const value = request.headers[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  return await deps.ingress({
    ...request,
    path: `/restate/${verb}/${target.join("/")}`,
    query: delay === null ? "" : new URLSearchParams({ delay }).toString(),
    headers: Object.fromEntries(headers),
  });
}
