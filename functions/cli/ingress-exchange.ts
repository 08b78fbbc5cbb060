/** The requests and answers of the ingress as plain data. */
import type { IncomingHttpHeaders } from "node:http";

export interface IngressRequest {
  readonly method: "GET" | "POST";
  /** Follows the address of the ingress, and is sent as it is: a key may be empty, or a dot. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Uint8Array;
}

export interface IngressAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

export function attachRequest(id: string): IngressRequest {
  return { method: "GET", path: `restate/invocation/${encodeURIComponent(id)}/attach` };
}

export function invocationIdOf({ headers }: IngressAnswer): string | undefined {
  const id = headers["x-restate-id"];
  return typeof id === "string" ? id : undefined;
}
