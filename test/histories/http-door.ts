/** The door of clients that ask over HTTP: an answer counts, and a broken connection or a busy server leaves the outcome unknown. */
import { setTimeout as pause } from "node:timers/promises";
import type { Door, Request } from "./clients.ts";

export interface HttpAnswer {
  readonly status: number;
  readonly text: string;
}

export interface HttpRequest {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

const REST_MS = 60;
/** Answers of a process or a gateway that is stopping, full or dead. 504 says that the result may still come. */
const UNKNOWN_OUTCOME: ReadonlySet<number> = new Set([429, 500, 502, 503, 504]);

/**
 * @param post rejects if no answer came
 * @param isClosed whether clients stop asking again
 */
export function httpDoor(post: (request: HttpRequest) => Promise<HttpAnswer>, isClosed: () => boolean): Door {
  return {
    get isClosed() {
      return isClosed();
    },
    rest: () => pause(REST_MS),
    async ask(request) {
      const answered = await post(requestOf(request)).catch(() => undefined);
      if (answered === undefined || UNKNOWN_OUTCOME.has(answered.status)) return undefined;
      const { status, text } = answered;
      if (status !== 200) throw new Error(`${request.service}/${request.handler} was answered with ${status}: ${text}`);
      return { answer: JSON.parse(text) as unknown };
    },
  };
}

function requestOf({ service, key, handler, input, idempotencyKey }: Request): HttpRequest {
  const path = [service, ...(key === undefined ? [] : [encodeURIComponent(key)]), handler].join("/");
  return {
    path: `/${path}`,
    headers: {
      "content-type": "application/json",
      ...(idempotencyKey !== undefined && { "idempotency-key": idempotencyKey }),
    },
    body: JSON.stringify(input),
  };
}
