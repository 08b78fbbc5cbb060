/** Sends the requests of callers and operators to a control plane of any version, over any transport. */
import { setTimeout as pause } from "node:timers/promises";
import { SEEN_WITHIN_MS } from "../patience.ts";
import { fetch } from "../harness/local/admin-access.ts";

export interface Answer {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
}

export interface RequestParts {
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

export interface Site {
  request(api: "ingress" | "admin", method: string, path: string, parts?: RequestParts): Promise<Answer>;
}

export const JSON_BODY = { "content-type": "application/json" };

/** @param uris the addresses of both APIs, without a trailing slash */
export function httpSite(uris: Readonly<Record<"ingress" | "admin", string>>): Site {
  return {
    async request(api, method, path, parts = {}) {
      const response = await fetch(`${uris[api]}${path}`, { method, ...parts });
      const headers = Object.fromEntries(response.headers);
      return { status: response.status, headers, text: await response.text() };
    },
  };
}

/**
 * @throws Error for a status of 300 or more
 * @returns the answer, parsed as JSON; undefined for an empty one
 */
export async function asked(
  site: Site,
  api: "ingress" | "admin",
  method: string,
  path: string,
  body?: unknown,
): Promise<unknown> {
  const parts = body === undefined ? {} : { headers: JSON_BODY, body: JSON.stringify(body) };
  const { status, text } = await site.request(api, method, path, parts);
  if (status >= 300) throw new Error(`${method} ${path} was answered ${status}: ${text}`);
  return text === "" ? undefined : (JSON.parse(text) as unknown);
}

const POLL_EVERY_MS = 50;

/** @throws Error if the condition does not become true in time */
export async function until(what: string, isSo: () => boolean | Promise<boolean>): Promise<void> {
  for (let leftMs = SEEN_WITHIN_MS; !(await isSo()); leftMs -= POLL_EVERY_MS) {
    if (leftMs < 0) throw new Error(`within ${SEEN_WITHIN_MS} ms it did not come to this: ${what}`);
    await pause(POLL_EVERY_MS);
  }
}
