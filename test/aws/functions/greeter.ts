/** A deployment on Lambda: the SDK's own handler, as its users bundle it. */
import "../../../examples/polyfill.mjs";
import { createEndpointHandler, service, type Context } from "@restatedev/restate-sdk/lambda";

const greeter = service({
  name: "Greeter",
  handlers: {
    greet: async (ctx: Context, name: string) => `Hello, ${await ctx.run("spell", () => name.toUpperCase())}`,
  },
});

export const handler = createEndpointHandler({ services: [greeter], logger: () => {} });
