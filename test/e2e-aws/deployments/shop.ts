/**
 * Handlers of a shop, several of which return the version of their function. The function of the version `garbage` is no
 * endpoint: it answers every request with a text of no protocol.
 */
import "../../../examples/polyfill.mjs";
import {
  createEndpointHandler,
  InvocationIdParser,
  object,
  service,
  type Context,
  type ObjectContext,
} from "@restatedev/restate-sdk/lambda";

const VERSION = process.env["SHOP_VERSION"];

const shop = service({
  name: "shop",
  handlers: {
    version: async () => VERSION,
    /** Waits for its payment, and returns the versions in which it began and ended. */
    order: async (ctx: Context) => {
      const begunBy = await ctx.run("begin", () => VERSION);
      return `begun by ${begunBy}, ${await ctx.signal<string>("pay")}, ended by ${VERSION}`;
    },
    pay: async (ctx: Context, id: string) => {
      ctx.invocation(InvocationIdParser.fromString(id)).signal<string>("pay").resolve("paid");
    },
    /** Fails in the first version. */
    pack: async (ctx: Context) => {
      const begunBy = await ctx.run("begin", () => VERSION);
      if (VERSION === "1") throw new Error("a fault of the first version");
      return `begun by ${begunBy}, ended by ${VERSION}`;
    },
    nap: async (ctx: Context, ms: number) => {
      await ctx.sleep(ms);
      return "awake";
    },
  },
});

const shelf = object({
  name: "shelf",
  handlers: {
    put: async (ctx: ObjectContext) => {
      const count = ((await ctx.get<number>("count")) ?? 0) + 1;
      ctx.set("count", count);
      return count;
    },
  },
});

export const handler =
  VERSION === "garbage"
    ? async () => "no handler of any protocol"
    : createEndpointHandler({ services: [shop, shelf], logger: () => {} });
