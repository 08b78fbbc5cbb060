/** Builds the request that reads the result of a call once more after its answer. The request changes nothing. */
import type { HttpRequest, HttpResponse } from "../http/message.ts";

/** @returns undefined if the response is a failure or names no invocation */
export function resultAgain(request: HttpRequest, { status, headers }: HttpResponse): HttpRequest | undefined {
  const id = headers["x-restate-id"];
  if (status !== 200 || id === undefined) return undefined;
  const { signal } = request;
  const path = `/restate/invocation/${id}/output`;
  return { method: "GET", path, query: "", headers: {}, body: new Uint8Array(0), ...(signal && { signal }) };
}
