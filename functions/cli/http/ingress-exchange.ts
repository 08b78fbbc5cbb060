/** The requests and answers of the ingress as plain data. */
import type { HttpAnswer, HttpRequest } from "./http-exchange.ts";

export interface IngressRequest extends HttpRequest {
  readonly method: "GET" | "POST";
  readonly body?: Uint8Array;
}

export type IngressAnswer = HttpAnswer;

export function attachRequest(id: string): IngressRequest {
  return { method: "GET", path: `restate/invocation/${encodeURIComponent(id)}/attach` };
}

/** Answers at once: with the result, with the failure, or with a refusal if there is no result. */
export function outputRequest(id: string): IngressRequest {
  return { method: "GET", path: `restate/invocation/${encodeURIComponent(id)}/output` };
}

export function invocationIdOf({ headers }: IngressAnswer): string | undefined {
  const id = headers["x-restate-id"];
  return typeof id === "string" ? id : undefined;
}
