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

const KINDS_OF_IDS = new Set(["inv", "dp", "sub", "sign", "prom"]);

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
  if (at < 0) throw bad("bad format");
  const prefix = id.slice(0, at);
  if (!KINDS_OF_IDS.has(prefix)) throw bad(`unrecognized resource type: ${prefix}`);
  if (at + 1 === id.length) throw bad("bad length");
  if (id[at + 1] !== "1") throw bad("unrecognized codec version");
  if ((prefix === "sign" || prefix === "prom") && PAYLOAD.test(id.slice(at + 2))) return prefix;
  throw bad("id doesn't match the expected type");
}
