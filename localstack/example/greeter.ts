/** The example as a function: a service that greets and one that reminds, behind the SDK's handler for Lambda. */
import "../../examples/polyfill.mjs";
import { createEndpointHandler, service } from "@restatedev/restate-sdk/lambda";
import type { Context } from "@restatedev/restate-sdk/lambda";

const GREETINGS = ["Hello", "Good to see you", "Welcome back"];

const greeter = service({
  name: "greeter",
  handlers: {
    greet: async (ctx: Context, name: string) => {
      const greeting = await ctx.run("pick a greeting", () => GREETINGS[Math.floor(Math.random() * GREETINGS.length)]);
      return `${greeting}, ${name}!`;
    },
    /** Holds no function while it sleeps: it ends here, and begins again from its journal. */
    remind: async (ctx: Context, { name, seconds }: { readonly name: string; readonly seconds: number }) => {
      await ctx.sleep({ seconds });
      return `${name} is reminded`;
    },
  },
});

export const handler = createEndpointHandler({ services: [greeter] });
