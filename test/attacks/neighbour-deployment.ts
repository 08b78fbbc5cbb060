/**
 * The healthy neighbour of the deployment that attacks: a deployment in a process of its own. It sends its address and the number of
 * each note to its parent process.
 */
import { once } from "node:events";
import { createServer } from "node:http2";
import type { AddressInfo } from "node:net";
import { createEndpointHandler, service, type Context } from "@restatedev/restate-sdk";

const good = service({
  name: "Good",
  handlers: {
    plain: async (_: Context, text: string) => await Promise.resolve(text),
    nap: async (ctx: Context) => await ctx.sleep(50),
    note: async (ctx: Context, number: number) => {
      await ctx.run("note", () => void process.send!({ noted: number }));
    },
  },
});

const server = createServer(createEndpointHandler({ services: [good], logger: () => {} }));
server.listen(0, "127.0.0.1");
await once(server, "listening");
process.once("disconnect", () => process.exit());
process.send!({ registration: { uri: `http://127.0.0.1:${(server.address() as AddressInfo).port}` } });
