/** Requests to the admin API of the page's own origin. */
import { signal } from "@preact/signals";
import type { AdminErrorBody } from "../../shared/api/wire/admin.ts";

/** The page is at `<base>ui/`, also behind a proxy with a path of its own. */
const BASE = new URL("..", document.baseURI);
/** Texts of errors may come from handlers, so they are cut before they are shown. */
const MESSAGE_MAX_CHARS = 4_000;

const NO_JSON =
  "The answer is not JSON, so it does not come from the admin API. A proxy may have answered in its place, for instance with a login page.";

/** The reason why a request has no result. */
export class ApiProblem extends Error {
  /** 0 if no answer came. */
  readonly status: number;
  /** A code of docs/errors.md. */
  readonly code: string | undefined;

  constructor(status: number, message: string, code?: string) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

/** An error of the page itself is shown like the failure of a request. */
export function problemOf(error: unknown): ApiProblem {
  return error instanceof ApiProblem ? error : new ApiProblem(0, String(error));
}

/** The server's clock minus the browser's clock, by the last answer. The browser's clock may be wrong by hours. */
export const clockOffsetMs = signal(0);

export interface Asked {
  readonly method?: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** Sent as JSON. */
  readonly body?: unknown;
  /** Sent as it is, in place of `body`. */
  readonly raw?: string | Uint8Array<ArrayBuffer>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
}

/** The parsed answer; undefined if it has no body. @throws ApiProblem */
export async function ask<Body>(path: string, asked: Asked = {}): Promise<Body> {
  const response = await answerTo(path, asked);
  const text = await response.text();
  try {
    return (text === "" ? undefined : JSON.parse(text)) as Body;
  } catch {
    throw new ApiProblem(response.status, NO_JSON);
  }
}

/** The answer as it came, whatever its status. @throws ApiProblem if none came */
export async function exchange(path: string, { method = "GET", body, raw, headers, signal: aborted }: Asked) {
  const json = body === undefined ? undefined : JSON.stringify(body);
  const sent = raw ?? json;
  try {
    const response = await fetch(new URL(path, BASE), {
      method,
      headers: {
        accept: "application/json",
        ...(json !== undefined && { "content-type": "application/json" }),
        ...headers,
      },
      ...(sent !== undefined && { body: sent }),
      ...(aborted !== undefined && { signal: aborted }),
    });
    noteClock(response);
    return response;
  } catch (error) {
    if (aborted?.aborted === true) throw error;
    throw new ApiProblem(0, "The server does not answer. Is it running, and is it still at this page's address?");
  }
}

async function answerTo(path: string, asked: Asked): Promise<Response> {
  const response = await exchange(path, asked);
  if (response.ok) return response;
  const text = (await response.text().catch(() => "")).slice(0, MESSAGE_MAX_CHARS);
  throw problemIn(response.status, text);
}

/** The words for an answer that is no success. */
export function problemIn(status: number, text: string): ApiProblem {
  try {
    const { message, restate_code: code } = JSON.parse(text) as Partial<AdminErrorBody>;
    if (typeof message === "string") return new ApiProblem(status, message, code ?? undefined);
  } catch {
    // The answer is not JSON: either it is a refusal in plain text, or it did not come from the admin API.
  }
  if (status === 502) return new ApiProblem(status, text || "The proxy could not forward the request.");
  if (status === 403)
    return new ApiProblem(status, text || "The request was refused: the credentials may have expired.");
  return new ApiProblem(status, text || `The server answered with status ${status}.`);
}

/** Compares the clocks by the `date` header, which is exact to a second and names the moment before the answer travelled. */
function noteClock(response: Response): void {
  const serverMs = Date.parse(response.headers.get("date") ?? "");
  if (Number.isNaN(serverMs)) return;
  const offset = serverMs - Date.now();
  clockOffsetMs.value = Math.abs(offset) < 2_000 ? 0 : offset;
}
