/** Serves handlers of a test file over HTTP from its process, as a deployment that is registered by its address. */
import { createServer } from "node:http2";
import type { Server } from "node:net";
import "../../examples/polyfill.mjs";
import { afterAll } from "vitest";
import { createEndpointHandler, service, type Context } from "@restatedev/restate-sdk";
import { startServer } from "../harness/https/peer.ts";

type Handlers = Readonly<Record<string, (ctx: Context, input: never) => Promise<unknown>>>;
type Services = Parameters<typeof createEndpointHandler>[0]["services"];

/**
 * Serves one service until the end of the test file.
 * @returns its address
 */
export async function serveHandlers(name: string, handlers: Handlers): Promise<string> {
  return await serve([service({ name, handlers: handlers as never })]);
}

/**
 * Serves until the end of the test file.
 * @param services including objects and workflows
 * @returns their address
 */
export async function serve(services: Services): Promise<string> {
  const server = createServer(createEndpointHandler({ services, logger: () => {} }));
  const peer = await startServer(server as Server);
  afterAll(() => peer.stop());
  return peer.uri;
}
