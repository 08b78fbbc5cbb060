/** Requests to the admin API of the page's own origin. */
import { signal, computed } from "@preact/signals";
import type { AdminErrorBody, VersionBody } from "../../shared/api/contract/server.ts";
import { noteAnswer, sessionHeaders } from "./session.ts";

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

/** The answer has not changed since the request's `if-none-match`. */
const UNCHANGED = 304;

export interface Asked {
  readonly method?: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** Sent as JSON. */
  readonly body?: unknown;
  /** Sent as it is, in place of `body`. */
  readonly raw?: string | Uint8Array<ArrayBuffer>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
}

interface Known {
  readonly etag: string;
  readonly body: unknown;
}

/** The last answers by path, the latest last: the server does not repeat an answer that the page has. */
const known = new Map<string, Known>();
const KNOWN_MAX = 6;
/** A larger answer, such as a long journal, is not worth its memory. */
const KNOWN_MAX_CHARS = 512 * 1024;

/** The parsed answer; undefined if it has no body. It may be the same object as the last answer, so callers must not change it. @throws ApiProblem */
export async function ask<Body>(path: string, asked: Asked = {}): Promise<Body> {
  const before = (asked.method ?? "GET") === "GET" ? known.get(path) : undefined;
  const headers = before === undefined ? asked.headers : { ...asked.headers, "if-none-match": before.etag };
  const response = await answerTo(path, headers === undefined ? asked : { ...asked, headers });
  if (response.status === UNCHANGED && before !== undefined) {
    known.delete(path);
    known.set(path, before);
    return before.body as Body;
  }
  const text = await response.text();
  try {
    const body = (text === "" ? undefined : JSON.parse(text)) as Body;
    remember(path, response.headers.get("etag"), text.length, body);
    return body;
  } catch {
    throw new ApiProblem(response.status, NO_JSON);
  }
}

function remember(path: string, etag: string | null, chars: number, body: unknown): void {
  known.delete(path);
  if (etag === null || chars > KNOWN_MAX_CHARS) return;
  known.set(path, { etag, body });
  const [oldest] = known.keys();
  if (known.size > KNOWN_MAX) known.delete(oldest!);
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
        ...sessionHeaders(),
      },
      ...(sent !== undefined && { body: sent }),
      ...(aborted !== undefined && { signal: aborted }),
    });
    noteClock(response);
    noteAnswer(response);
    return response;
  } catch (error) {
    if (aborted?.aborted === true) throw error;
    throw new ApiProblem(0, "The server does not answer. Is it running, and is it still at this page's address?");
  }
}

async function answerTo(path: string, asked: Asked): Promise<Response> {
  const response = await exchange(path, asked);
  if (response.ok || response.status === UNCHANGED) return response;
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

/** The server behind the page: its version, and whether each of its reads has a price. */
export const server = signal<VersionBody | undefined>(undefined);

/** A control plane on functions pays for each read, so its pages load less often, and count invocations only on demand. */
export const readsHaveAPrice = computed(() => server.value?.runs_on === "functions");

export async function loadServer(): Promise<void> {
  server.value = await ask<VersionBody>("version");
}
