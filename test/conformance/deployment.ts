/** The test deployment in this process: the SDK's own endpoint on a free port, limited to protocol versions up to a given one. */
import { SERVICES } from "./handlers.ts";
import { KEYED_SERVICES } from "./keyed-handlers.ts";
import { scoped } from "./told-handlers.ts";
import { isDiscovery, offerUpTo, type ProtocolVersion } from "./offered-version.ts";
import { once } from "node:events";
import { createServer } from "node:http";
import { createServer as createHttp2Server } from "node:http2";
import type { AddressInfo, Server, Socket } from "node:net";
import { createEndpointHandler } from "@restatedev/restate-sdk";

export const CARRIERS = ["h2c", "http1.1"] as const;
export type Carrier = (typeof CARRIERS)[number];

export interface Deployment {
  readonly uri: string;
  readonly carrier: Carrier;
  stop(): Promise<void>;
}

type Services = NonNullable<Parameters<typeof createEndpointHandler>[0]["services"]>;

/**
 * Over h2c, which `restate.serve()` uses, the manifest announces a bidirectional endpoint; over HTTP/1.1, a request-response one.
 * @param version the highest version that the manifest offers
 */
export async function startDeployment(
  carrier: Carrier,
  version: ProtocolVersion,
  services: Services = [...SERVICES, ...KEYED_SERVICES, scoped],
): Promise<Deployment> {
  const answer = createEndpointHandler({ services, logger: () => {} });
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
