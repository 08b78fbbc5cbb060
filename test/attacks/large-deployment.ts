/**
 * A deployment of the real SDK whose service `Large` sends messages above the limit, beside a service that behaves. The argument is the
 * transport; the process sends its registration to its parent.
 */
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer as createHttp1 } from "node:http";
import { createSecureServer, createServer as createHttp2 } from "node:http2";
import type { AddressInfo, Server } from "node:net";
import { join } from "node:path";
import {
  createEndpointHandler,
  endpoint,
  object,
  service,
  type Context,
  type ObjectContext,
} from "@restatedev/restate-sdk";

const MIB = 1024 * 1024;
/** Above the limit of a message. */
const OVER = "r".repeat(40 * MIB);
/** Below it. */
const LARGE = "r".repeat(30 * MIB);
const STEP = "r".repeat(8 * MIB);
const STEPS = 20;
const RETRIED_TWICE = { initialInterval: 100, maxAttempts: 2, onMaxAttempts: "pause" } as const;

const other = service({
  name: "Other",
  handlers: { ok: async () => await Promise.resolve("ok"), takes: async (_: Context, text: string) => text.length },
});
const large = object({
  name: "Large",
  options: { retryPolicy: RETRIED_TWICE },
  handlers: {
    result: async () => await Promise.resolve(OVER),
    step: async (ctx: ObjectContext) => (await ctx.run("step", () => OVER)).length,
    argument: async (ctx: ObjectContext) => await ctx.serviceClient(other).takes(OVER),
    state: async (ctx: ObjectContext) => {
      ctx.set("state", OVER);
      await ctx.sleep(1);
    },
    journal: async (ctx: ObjectContext) => {
      for (let at = 0; at < STEPS; at++) await ctx.run(`step ${at}`, () => STEP);
    },
    fits: async () => {
      process.send!({ began: true });
      return await Promise.resolve(LARGE);
    },
  },
});

const services = [other, large];
const [transport, fixtures] = process.argv.slice(2) as [string, string];
const server = serverOf(transport);
server.listen(0, "127.0.0.1");
await once(server, "listening");
process.once("disconnect", () => process.exit());
const { port } = server.address() as AddressInfo;
const uri = transport === "TLS" ? `https://localhost:${port}` : `http://127.0.0.1:${port}`;
process.send!({ registration: { uri, ...(transport === "HTTP/1.1" && { use_http_11: true }) } });

function serverOf(name: string): Server {
  const handler = createEndpointHandler({ services, logger: () => {} });
  if (name === "h2c") return createHttp2(handler);
  if (name === "TLS") {
    const [key, cert] = ["key", ""].map((part) =>
      readFileSync(join(fixtures, `test-only-server${part && `-${part}`}.pem`)),
    );
    return createSecureServer({ key: key!, cert: cert! }, handler) as unknown as Server;
  }
  const deployment = endpoint().setLogger(() => {});
  for (const one of services) deployment.bind(one);
  return createHttp1(deployment.http1Handler());
}
