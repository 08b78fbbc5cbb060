/** `GET /ready`: 200 if the server takes new work now, else 503 with the reasons. `GET /health` says only that the process answers. */
import type { Engine } from "../../../engine/engine.ts";
import type { ReadinessCheck } from "../../../engine/ports/readiness.ts";
import { StoreError } from "../../../engine/ports/table.ts";
import type { HttpResponse } from "../../http/message.ts";
import { jsonResponse } from "../../http/message.ts";
import type { ReadyBody } from "../../contract/server.ts";
import type { AdminRequest } from "../requests/admin-request.ts";

/** An open circuit of one deployment is no reason: work for it is accepted, and waits. */
export async function showReadiness({ deps }: AdminRequest): Promise<HttpResponse> {
  const checks = await deps.readiness();
  const isReady = checks.every(({ isOk }) => isOk);
  const body: ReadyBody = {
    ready: isReady,
    checks: checks.map(({ name, isOk, reason }) => ({
      name,
      ok: isOk,
      ...(reason !== undefined && { reason }),
    })),
  };
  return jsonResponse(isReady ? 200 : 503, body);
}

/** Where the server does not own its store, a read shows that the store answers. */
export async function storeReadiness(engine: Engine): Promise<readonly ReadinessCheck[]> {
  try {
    engine.registry.refresh();
    await engine.registry.deployments();
    return [{ name: "store", isOk: true }];
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    return [{ name: "store", isOk: false, reason: "the store did not answer" }];
  }
}
