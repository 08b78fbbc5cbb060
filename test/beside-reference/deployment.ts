/** The deployments of one side: one endpoint of the real SDK for each kind of exchange, in this process. */
import { AsyncLocalStorage } from "node:async_hooks";
import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import { createServer as createHttp2Server, type Http2ServerResponse } from "node:http2";
import type { AddressInfo, Server, Socket } from "node:net";
import { createEndpointHandler } from "@restatedev/restate-sdk";
import type { Cut } from "./player.ts";
import type { Kind } from "./program.ts";

export interface Deployment {
  readonly uri: string;
  readonly kind: Kind;
  stop(): Promise<void>;
}

type Services = NonNullable<Parameters<typeof createEndpointHandler>[0]["services"]>;

/** @returns the services of a kind of exchange */
export type ServicesOf = (kind: Kind, cut: Cut) => Services;

export async function startDeployment(kind: Kind, servicesOf: ServicesOf): Promise<Deployment> {
  const exchanges = new AsyncLocalStorage<ServerResponse | Http2ServerResponse>();
  const cut = () => {
    const exchange = exchanges.getStore();
    if (exchange === undefined) throw new Error("the exchange of the handler is not known");
    if ("stream" in exchange) exchange.stream.close(2);
    else exchange.destroy();
  };
  const answer = createEndpointHandler({ services: servicesOf(kind, cut), logger: () => {} });
  const server: Server =
    kind === "request-response"
      ? createServer((request, response) => exchanges.run(response, () => answer(request, response)))
      : createHttp2Server((request, response) => exchanges.run(response, () => answer(request, response)));
  // A connection that ends while a request is on its way fails an attempt that no program has failed.
  if ("keepAliveTimeout" in server) server.keepAliveTimeout = 0;
  const sockets = new Set<Socket>();
  server.on("connection", (socket: Socket) => {
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    uri: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    kind,
    async stop() {
      server.close();
      for (const socket of sockets) socket.destroy();
      await once(server, "close");
    },
  };
}
