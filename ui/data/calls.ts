/** Calls of handlers through the admin API, the invocations that they begin, and the last payloads of this tab. */
import { signal } from "@preact/signals";
import type { InvocationBody, InvocationSummaryBody, ValueBody } from "../../shared/api/contract/invocations.ts";
import { SHOWN_HEADERS } from "../model/call-lines.ts";
import { ApiProblem, ask, exchange } from "./api.ts";
import { firstListed } from "./listing.ts";

export interface CallRequest {
  readonly service: string;
  readonly handler: string;
  readonly key: string | undefined;
  readonly scope: string | undefined;
  readonly limitKey: string | undefined;
  readonly isSend: boolean;
  readonly delay: string | undefined;
  readonly idempotencyKey: string | undefined;
  readonly contentType: string | undefined;
  readonly body: Uint8Array<ArrayBuffer> | undefined;
}

export interface CallAnswer {
  readonly status: number;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: Uint8Array;
  readonly invocationId: string | undefined;
  readonly tookMs: number;
}

/** @throws ApiProblem if no answer came; a DOMException named AbortError if the signal aborts: the invocation goes on then */
export async function callHandler(request: CallRequest, aborted: AbortSignal): Promise<CallAnswer> {
  const { service, handler, key, scope, limitKey, isSend, delay, idempotencyKey, contentType, body } = request;
  const query = new URLSearchParams({
    ...(key !== undefined && { key }),
    ...(scope !== undefined && { scope }),
    ...(limitKey !== undefined && { limit_key: limitKey }),
    ...(isSend && delay !== undefined && { delay }),
  }).toString();
  const path = `internal/services/${encodeURIComponent(service)}/handlers/${encodeURIComponent(handler)}/${isSend ? "send" : "call"}`;
  const startedMs = performance.now();
  const response = await exchange(`${path}${query === "" ? "" : `?${query}`}`, {
    method: "POST",
    ...(body !== undefined && { raw: body }),
    headers: {
      // Pages of other origins cannot send this header, so it proves to the server that its own page sends the request.
      "x-requested-with": "stepwell-ui",
      accept: "*/*",
      ...(contentType !== undefined && { "content-type": contentType }),
      ...(idempotencyKey !== undefined && { "idempotency-key": idempotencyKey }),
    },
    signal: aborted,
  });
  const bytes = new Uint8Array(await response.arrayBuffer());
  return {
    status: response.status,
    headers: SHOWN_HEADERS.flatMap((name) => {
      const value = response.headers.get(name);
      return value === null ? [] : [[name, value] as const];
    }),
    body: bytes,
    invocationId: response.headers.get("x-restate-id") ?? undefined,
    tookMs: performance.now() - startedMs,
  };
}

/** The clocks of browser and server may differ by this much. */
const SKEW_MS = 3_000;
const OPEN_MAX = 20;
/** The journal of the latest invocation may be gone, or its input may be bytes, and then an older one serves as well. */
const TRIED_INPUTS = 5;

/**
 * The open invocations of the handler that began after `sinceMs` by the server's clock. If the invocation of the call itself is
 * open, it is among them.
 */
export async function openSince(request: CallRequest, sinceMs: number): Promise<readonly InvocationSummaryBody[]> {
  const { service, handler, key, scope } = request;
  const query = new URLSearchParams({
    service,
    handler,
    status: "open",
    details: "false",
    limit: String(OPEN_MAX),
    ...(key !== undefined && { key }),
    ...(scope !== undefined && { scope }),
  });
  const { rows } = await firstListed({ query }, OPEN_MAX);
  return rows.filter(({ created_at: at }) => Date.parse(at) >= sinceMs - SKEW_MS);
}

/** The input as text, or the reason why there is none. */
export type LatestInput =
  | { readonly kind: "input"; readonly text: string }
  | { readonly kind: "none"; readonly why: string };

/** The input of the latest invocation of the handler whose input can be read as text. @throws ApiProblem */
export async function latestInput(service: string, handler: string): Promise<LatestInput> {
  const query = new URLSearchParams({ service, handler, details: "false", limit: String(TRIED_INPUTS) });
  const { rows, mayHaveMore } = await firstListed({ query }, 1);
  for (const { id } of rows) {
    const input = await inputOf(id);
    if (input?.text !== undefined && input.cut !== true) return { kind: "input", text: input.text };
  }
  if (rows.length > 0) return { kind: "none", why: "the latest invocations have no input that can be read as text" };
  return {
    kind: "none",
    why: mayHaveMore
      ? "no invocation of it among the newest; older ones were not looked at"
      : "no invocation of it yet",
  };
}

/** The input of an invocation; undefined if its journal is not kept. @throws ApiProblem */
export async function inputOf(id: string): Promise<ValueBody | undefined> {
  const path = `invocations/${encodeURIComponent(id)}?values=true&limit=1`;
  const { entries } = await ask<InvocationBody>(path).catch((error: unknown) => {
    // The invocation may have ended and gone since the list was read.
    if (error instanceof ApiProblem && error.status === 404) return { entries: [] };
    throw error;
  });
  return entries[0]?.value;
}

export interface PastPayload {
  readonly target: string;
  readonly text: string;
  readonly atMs: number;
}

const PAST_MAX = 10;

/** Newest first. Payloads may be private, so they stay in the memory of this page. */
export const pastPayloads = signal<readonly PastPayload[]>([]);

export function notePayload(target: string, text: string): void {
  const others = pastPayloads.peek().filter((one) => one.target !== target || one.text !== text);
  pastPayloads.value = [{ target, text, atMs: Date.now() }, ...others].slice(0, PAST_MAX);
}
