/** Limits a deployment to protocol versions up to a given one: replaces the maximum in the manifest that the SDK writes. */
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Http2ServerRequest, Http2ServerResponse } from "node:http2";

export const PROTOCOL_VERSIONS = [5, 6, 7] as const;
export type ProtocolVersion = (typeof PROTOCOL_VERSIONS)[number];

export function isDiscovery(request: IncomingMessage | Http2ServerRequest): boolean {
  return request.url?.startsWith("/discover") === true;
}

/** Collects the manifest that the SDK writes, and sends it with another `maxProtocolVersion`. */
export function offerUpTo(version: ProtocolVersion, carried: ServerResponse | Http2ServerResponse): void {
  // Both classes have these members; they differ only in overloads that this function does not use.
  const response = carried as unknown as Pick<ServerResponse, "write" | "end">;
  const { write } = response;
  const end = response.end.bind(response) as (body: string, done?: () => void) => ServerResponse;
  const pieces: Uint8Array[] = [];
  response.write = ((piece: Uint8Array | string, done?: (error: undefined) => void) => {
    pieces.push(Buffer.from(piece as string));
    done?.(undefined);
    return true;
  }) as ServerResponse["write"];
  response.end = ((done?: () => void) => {
    // Over HTTP/2 `end` calls `write`.
    response.write = write;
    const manifest = JSON.parse(Buffer.concat(pieces).toString("utf8")) as Record<string, unknown>;
    return end(JSON.stringify({ ...manifest, maxProtocolVersion: version }), done);
  }) as ServerResponse["end"];
}
