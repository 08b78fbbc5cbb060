/** Asks again for a while where it was not the admin API that answered: roles and routes that were made a moment ago are not known everywhere yet. */
import { setTimeout as sleep } from "node:timers/promises";
import type { AdminAnswer, AskAdmin } from "./admin-client.ts";

export interface Patience {
  /** Nothing is asked again later than this. */
  readonly forMs: number;
  readonly everyMs: number;
}

/** IAM promises no time; that of API Gateway is seconds. Who waits for a deployment is told well before it is given up. */
export const AFTER_DEPLOY: Patience = { forMs: 15_000, everyMs: 1_000 };

/** @returns what fails in the end as it fails without patience */
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

/** The statuses of the gateway and of IAM; where the admin API answers with one of them, it names a code, if only none. */
function isOfAdmin({ status, body }: AdminAnswer): boolean {
  return "restate_code" in body || !(status === 403 || status === 404 || status === 429 || status >= 500);
}
