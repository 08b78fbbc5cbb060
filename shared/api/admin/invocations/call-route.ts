/** Routes by which an operator calls a handler, or completes an awakeable, through the admin API. */
import type { HttpResponse } from "../../http/message.ts";
import { CallQuery } from "../../contract/services.ts";
import { HttpProblem } from "../../http/problem.ts";
import { type AdminRequest, route } from "../requests/admin-request.ts";

/** The presence of this header makes a browser send a preflight first, which this API never grants to pages of other origins. */
const PROOF = "x-requested-with";
/** The headers of the request that are part of the call; all others belong to the exchange with the admin API. */
const PASSED = ["content-type", "accept", "idempotency-key", "traceparent"];

export const CALL_ROUTES = [
  route("POST", "/internal/services/:service/handlers/:handler/call", (asked) => viaIngress(asked, "call"), {
    summary: "Call a handler as the ingress does, and wait for its result",
    query: CallQuery,
    answers: { 200: null },
  }),
  route("POST", "/internal/services/:service/handlers/:handler/send", (asked) => viaIngress(asked, "send"), {
    summary: "Send to a handler as the ingress does",
    query: CallQuery,
    answers: { 200: null, 202: null },
  }),
];

export const AWAKEABLE_ROUTES = [
  route("POST", "/internal/awakeables/:id/resolve", (asked) => ofAwakeable(asked, "resolve"), {
    summary: "Complete an awakeable with the body as its value, as the ingress does",
    answers: { 202: null },
  }),
  route("POST", "/internal/awakeables/:id/reject", (asked) => ofAwakeable(asked, "reject"), {
    summary: "Complete an awakeable with a failure, whose message is the body, as the ingress does",
    answers: { 202: null },
  }),
];

/** Parameters that the ingress has too, under these names. */
const PASSED_QUERY = [
  ["delay", "delay"],
  ["limit_key", "limit-key"],
] as const;

/** The ingress answers, with its own rules and errors. Query: `key` names the object or the workflow, `scope` their scope. */
async function viaIngress(asked: AdminRequest, verb: "call" | "send"): Promise<HttpResponse> {
  const { request, params } = asked;
  const query = new URLSearchParams(request.query);
  const [key, scope] = [query.get("key"), query.get("scope")];
  const target = [params["service"] ?? "", ...(key === null ? [] : [encodeURIComponent(key)]), params["handler"] ?? ""];
  const passed = PASSED_QUERY.flatMap(([name, parameter]) => {
    const value = query.get(name);
    return value === null ? [] : [[parameter, value] as [string, string]];
  });
  const within = scope === null ? "" : `scope/${encodeURIComponent(scope)}/`;
  const search = new URLSearchParams(passed).toString();
  return await handed(asked, `/restate/${within}${verb}/${target.join("/")}`, search);
}

function ofAwakeable(asked: AdminRequest, outcome: "resolve" | "reject"): Promise<HttpResponse> {
  return handed(asked, `/restate/awakeables/${asked.params["id"] ?? ""}/${outcome}`, "");
}

async function handed({ deps, request }: AdminRequest, path: string, query: string): Promise<HttpResponse> {
  assertOwnOrigin(request.headers, "acts for an operator");
  if (deps.ingress === undefined) throw new HttpProblem(501, "This server does not act for operators");
  const headers = PASSED.flatMap((name) => {
    const value = request.headers[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  return withoutCrossOrigin(await deps.ingress({ ...request, path, query, headers: Object.fromEntries(headers) }));
}

/** The ingress lets pages of all origins read its answers. The admin API does not, so this function removes those headers. */
function withoutCrossOrigin({ status, headers, body }: HttpResponse): HttpResponse {
  const kept = Object.entries(headers).filter(([name]) => name !== "vary" && !name.startsWith("access-control-"));
  return { status, headers: Object.fromEntries(kept), body };
}

/** @throws HttpProblem 400 if a page of another origin could have sent the request */
export function assertOwnOrigin(headers: Readonly<Record<string, string | undefined>>, does: string): void {
  if (headers[PROOF] !== undefined) return;
  throw new HttpProblem(400, `This route ${does}, so it needs the header ${PROOF}, with any value`);
}
