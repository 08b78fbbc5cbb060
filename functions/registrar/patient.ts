/** Retries requests that the admin API itself did not answer: new roles and routes take time to take effect everywhere. */
import { setTimeout as sleep } from "node:timers/promises";
import type { AdminAnswer, AskAdmin } from "./admin-client.ts";

export interface Patience {
  /** No retry starts after this time. */
  readonly forMs: number;
  readonly everyMs: number;
}

/** IAM promises no time; API Gateway takes seconds. A stack deployment gets the failure well before it times out. */
export const AFTER_DEPLOY: Patience = { forMs: 15_000, everyMs: 1_000 };

/** @returns a client whose final failure is the one that it would have without retries */
export function patient(ask: AskAdmin, { forMs, everyMs }: Patience): AskAdmin {
  return async (method, path, body) => {
    const untilMs = Date.now() + forMs;
    for (;;) {
      const asked = ask(method, path, body);
      if (Date.now() + everyMs > untilMs) return await asked;
      const answer = await asked.catch(() => undefined);
      if (answer !== undefined && isOfAdmin(answer)) return answer;
      await sleep(everyMs);
    }
  };
}

/**
 * The statuses of the gateway and of IAM. An answer of the admin API with one of them has the member `restate_code`,
 * which may be null.
 */
function isOfAdmin({ status, body }: AdminAnswer): boolean {
  return "restate_code" in body || !(status === 403 || status === 404 || status === 429 || status >= 500);
}
