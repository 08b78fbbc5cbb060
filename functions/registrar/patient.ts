/** Retries requests that the admin API itself did not answer: new roles and routes take time to take effect everywhere. */
import { setTimeout as sleep } from "node:timers/promises";
import type { AdminAnswer, AskAdmin } from "./admin-client.ts";

export interface Patience {
  /** No retry starts after this time. */
  readonly forMs: number;
  readonly everyMs: number;
}

/**
 * A new route of API Gateway takes effect within seconds; for a new role, IAM promises no upper limit. The retries end
 * well before the stack's deployment times out.
 */
export const AFTER_DEPLOY: Patience = { forMs: 15_000, everyMs: 1_000 };

/** @returns a client that retries; its last attempt passes its answer or error on unchanged */
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
 * API Gateway and IAM answer with these statuses. If the admin API itself answers with one of them, its body has the
 * member `restate_code`, which may be null.
 */
function isOfAdmin({ status, body }: AdminAnswer): boolean {
  return "restate_code" in body || !(status === 403 || status === 404 || status === 429 || status >= 500);
}
