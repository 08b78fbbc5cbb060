/** `POST /internal/services/{service}/serdes/encode/{name}` and `/decode/{name}`: the SDK of a deployment translates a payload. */
import { previewSerde } from "../../../engine/register/preview-serde.ts";
import type { HttpResponse } from "../../http/message.ts";
import { PreviewQuery } from "../../contract/services.ts";
import { HttpProblem } from "../../http/problem.ts";
import { type AdminRequest, route, pathParam } from "../requests/admin-request.ts";
import { assertOwnOrigin } from "../invocations/call-route.ts";

export const SERDE_ROUTES = [
  route("POST", "/internal/services/:service/serdes/encode/:name", (asked) => translated(asked, "encode"), {
    summary: "Convert JSON to a payload in the SDK of a deployment, by a serializer that offers a preview",
    query: PreviewQuery,
    answers: { 200: null },
  }),
  route("POST", "/internal/services/:service/serdes/decode/:name", (asked) => translated(asked, "decode"), {
    summary: "Convert a payload to JSON in the SDK of a deployment, by a serializer that offers a preview",
    query: PreviewQuery,
    answers: { 200: null },
  }),
];

/**
 * The answer has the status and the body that the deployment sent. The deployment's code is not trusted, so the answer has a
 * content type that no browser runs.
 */
async function translated(asked: AdminRequest, operation: "encode" | "decode"): Promise<HttpResponse> {
  const { engine, request } = asked;
  assertOwnOrigin(request.headers, "sends a request to a deployment");
  const deployment = new URLSearchParams(request.query).get("deployment") ?? undefined;
  const service = pathParam(asked, "service");
  const serde = pathParam(asked, "name");
  const answer = await previewSerde(engine, { service, serde, operation, body: request.body, deployment });
  if (answer.kind === "unknown-service") {
    const where = deployment === undefined ? "" : ` on the deployment '${deployment}'`;
    throw new HttpProblem(404, `The service '${service}' is unknown${where}`);
  }
  if (answer.kind === "failed") throw new HttpProblem(502, answer.reason);
  const type = operation === "decode" ? "application/json" : "application/octet-stream";
  return {
    status: answer.status,
    headers: { "content-type": type, "x-content-type-options": "nosniff" },
    body: answer.body,
  };
}
