/** The test deployment in this process: the SDK's own endpoint on a free port, held to one protocol version. */
import { SERVICES } from "./handlers.ts";
import { once } from "node:events";
import { createServer } from "node:http";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer as createHttp2Server } from "node:http2";
import type { Http2ServerRequest, Http2ServerResponse } from "node:http2";
import type { AddressInfo, Server, Socket } from "node:net";
import { createEndpointHandler } from "@restatedev/restate-sdk";

export const CARRIERS = ["h2c", "http1.1"] as const;
export type Carrier = (typeof CARRIERS)[number];

export const PROTOCOL_VERSIONS = [5, 6, 7] as const;
export type ProtocolVersion = (typeof PROTOCOL_VERSIONS)[number];

export interface Deployment {
  readonly uri: string;
  readonly carrier: Carrier;
  stop(): Promise<void>;
}

/**
 * h2c is what `restate.serve()` speaks and announces a bidirectional endpoint; HTTP/1.1 announces request-response.
 * @param version the highest version that the manifest offers
 */
export async function startDeployment(carrier: Carrier, version: ProtocolVersion): Promise<Deployment> {
  const answer = createEndpointHandler({ services: SERVICES, logger: () => {} });
  const server: Server =
    carrier === "h2c"
      ? createHttp2Server((request, response) => {
          if (isDiscovery(request)) offerUpTo(version, response);
          answer(request, response);
        })
      : createServer((request, response) => {
          if (isDiscovery(request)) offerUpTo(version, response);
          answer(request, response);
        });
  const sockets = new Set<Socket>();
  server.on("connection", (socket: Socket) => {
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    uri: `http://127.0.0.1:${port}`,
    carrier,
    async stop() {
      server.close();
      for (const socket of sockets) socket.destroy();
      await once(server, "close");
    },
  };
}

function isDiscovery(request: IncomingMessage | Http2ServerRequest): boolean {
  return request.url?.startsWith("/discover") === true;
}

/** Collects the manifest that the SDK writes, and lets it out with another `maxProtocolVersion`. */
function offerUpTo(version: ProtocolVersion, carried: ServerResponse | Http2ServerResponse): void {
  // The two classes share the members used here; their overloads only differ beyond them.
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
