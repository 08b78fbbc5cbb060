/** The ingress routes that resolve and reject awakeables. They accept any valid id, even if its invocation has ended. */
import type { Result } from "../../core/model/failure.ts";
import { IdError } from "../../core/model/ids.ts";
import { type AwakeableId, parseAwakeableId } from "../../core/protocol/awakeable-id.ts";
import type { Engine } from "../../engine/engine.ts";
import { emptyResponse, type HttpRequest, type HttpResponse } from "../http/message.ts";
import type { IngressPath } from "./ingress-path.ts";
import { IngressRefusal, methodNotAllowed } from "./ingress-refusal.ts";
import type { IngressUseCases } from "./use-cases.ts";

/** @throws IngressRefusal */
export async function completeAwakeable(
  engine: Engine,
  useCases: IngressUseCases,
  request: HttpRequest,
  path: Extract<IngressPath, { kind: "awakeable" }>,
): Promise<HttpResponse> {
  if (request.method !== "POST") throw methodNotAllowed("POST");
  const { kind } = checkedId(path.id);
  // Ids of another kind come from protocol versions that are not supported, so no invocation waits for them.
  if (kind === "signal") await useCases.completeAwakeable(engine, path.id, resultOf(request.body, path.outcome));
  return emptyResponse(202);
}

function resultOf(body: Uint8Array, outcome: "resolve" | "reject"): Result {
  if (outcome === "resolve") return { kind: "success", value: body };
  return {
    kind: "failure",
    failure: { code: 500, message: new TextDecoder("utf-8", { ignoreBOM: true }).decode(body) },
  };
}

/** @throws IngressRefusal 400 if the text is not an awakeable id */
function checkedId(id: string): AwakeableId {
  try {
    return parseAwakeableId(id);
  } catch (error) {
    if (error instanceof IdError) throw new IngressRefusal(400, `bad awakeable id '${id}': ${error.message}`);
    throw error;
  }
}
