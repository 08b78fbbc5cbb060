/** Sends requests to the ingress and turns its refusals, and failures of invocations, into failures of the command. */
import { setTimeout } from "node:timers/promises";
import { exchange, shownBase } from "./http-exchange.ts";
import { attachRequest, invocationIdOf } from "./ingress-exchange.ts";
import type { IngressAnswer, IngressRequest } from "./ingress-exchange.ts";
import { failureOf } from "./ingress-failure.ts";
import type { Terminal } from "../text/terminal.ts";

export interface IngressClient {
  /**
   * @param what progress text, shown when the request takes long
   * @param signal the signal that aborts the request
   * @throws CommandFailure when the ingress refuses or cannot be reached, and when the invocation ended with a failure
   */
  ask(request: IngressRequest, what: string, signal?: AbortSignal): Promise<IngressAnswer>;
}

/** @throws Error when the signal aborts the pause */
export type Pause = (pauseMs: number, signal: AbortSignal | undefined) => Promise<void>;

const STATUS_OUT_OF_TIME = 504;
const OPTIONS = "--ingress-url or STEPWELL_INGRESS_URL";

/** The shortest pause: a server that answers at once gets at most one request a second. */
const PAUSE_MIN_MS = 1000;
/** The longest pause, because the result may arrive much earlier than the server expects. */
const PAUSE_MAX_MS = 300_000;

/** @param base the address of the ingress, which ends with a slash */
export function ingressClient(
  base: string,
  { during }: Pick<Terminal, "during">,
  pause: Pause = paused,
): IngressClient {
  async function answerTo(request: IngressRequest, signal: AbortSignal | undefined): Promise<IngressAnswer> {
    let asked = request;
    for (;;) {
      const answer = await exchange({ base, options: OPTIONS }, asked, signal && { signal });
      const id = invocationIdOf(answer);
      // An ingress with a time limit may answer before the invocation ends; the result then comes from an attach.
      if (answer.status === STATUS_OUT_OF_TIME && id !== undefined && sourceOf(answer) === "ingress") {
        asked = attachRequest(id);
        await pause(pauseMsOf(answer), signal);
        continue;
      }
      const isSuccess = answer.status >= 200 && answer.status < 300;
      // A failure of an invocation may have any status; the header distinguishes it from a result.
      if (isSuccess && sourceOf(answer) === undefined) return answer;
      throw failureOf(shownBase(base), asked, answer);
    }
  }
  return { ask: (request, what, signal) => during(what, answerTo(request, signal)) };
}

function sourceOf({ headers }: IngressAnswer): unknown {
  return headers["x-restate-error-source"];
}

/** The header `retry-after` contains seconds or a date. @returns the pause in milliseconds */
function pauseMsOf({ headers }: IngressAnswer): number {
  const after = headers["retry-after"] ?? "";
  const askedMs = /^\d{1,9}$/.test(after) ? Number(after) * 1000 : Date.parse(after) - Date.now();
  return Math.min(PAUSE_MAX_MS, Math.max(PAUSE_MIN_MS, Number.isNaN(askedMs) ? 0 : askedMs));
}

async function paused(pauseMs: number, signal: AbortSignal | undefined): Promise<void> {
  await setTimeout(pauseMs, undefined, signal && { signal });
}
