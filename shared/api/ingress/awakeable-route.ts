/** Resolves and rejects awakeables: any well-formed id is accepted, whatever became of its invocation. */
import type { Result } from "../../core/model/failure.ts";
import type { Engine } from "../../engine/engine.ts";
import type { HttpRequest, HttpResponse } from "../http/message.ts";
import { emptyResponse } from "../http/message.ts";
import type { IngressPath } from "./ingress-path.ts";
import { IngressRefusal, methodNotAllowed } from "./ingress-refusal.ts";
import type { IngressUseCases } from "./use-cases.ts";

/** 24 bytes of the invocation and 4 of the index, in base64url without padding: the last letter carries two bits. */
const PAYLOAD = /^[A-Za-z0-9_-]{37}[AQgw]$/;
const PAYLOAD_CHARS = 38;

/** @throws IngressRefusal */
export async function completeAwakeable(
  engine: Engine,
  useCases: IngressUseCases,
  request: HttpRequest,
  path: Extract<IngressPath, { kind: "awakeable" }>,
): Promise<HttpResponse> {
  if (request.method !== "POST") throw methodNotAllowed();
  const prefix = checkedPrefix(path.id);
  // Ids with `prom` come from protocol versions before those that are spoken here: nobody can be waiting for one.
  if (prefix === "sign") await useCases.resolveAwakeable(engine, path.id, resultOf(request.body, path.outcome));
  return emptyResponse(202);
}

function resultOf(body: Uint8Array, outcome: "resolve" | "reject"): Result {
  if (outcome === "resolve") return { kind: "success", value: body };
  return {
    kind: "failure",
    failure: { code: 500, message: new TextDecoder("utf-8", { ignoreBOM: true }).decode(body) },
  };
}

/** @throws IngressRefusal 400 for what is no awakeable id */
function checkedPrefix(id: string): "sign" | "prom" {
  const bad = (why: string) => new IngressRefusal(400, `bad awakeable id '${id}': ${why}`);
  const at = id.indexOf("_");
  const prefix = id.slice(0, Math.max(at, 0));
  if (prefix !== "sign" && prefix !== "prom") throw bad("bad format");
  if (id[at + 1] !== "1") throw bad("unrecognized codec version");
  const payload = id.slice(at + 2);
  if (payload.length !== PAYLOAD_CHARS) throw bad("bad length");
  if (!PAYLOAD.test(payload)) throw bad("base64 decode error");
  return prefix;
}
