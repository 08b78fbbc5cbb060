/** The example service, with one handler that greets and one that reminds, behind the SDK's Lambda handler. */
import "../../examples/polyfill.mjs";
import { createEndpointHandler, service, type Context } from "@restatedev/restate-sdk/lambda";

const GREETINGS = ["Hello", "Good to see you", "Welcome back"];

const greeter = service({
  name: "greeter",
  handlers: {
    greet: async (ctx: Context, name: string) => {
      const greeting = await ctx.run("pick a greeting", () => GREETINGS[Math.floor(Math.random() * GREETINGS.length)]);
      return `${greeting}, ${name}!`;
    },
    /** Occupies no function during the sleep: the attempt suspends, and a later one continues from the journal. */
    remind: async (ctx: Context, { name, seconds }: { readonly name: string; readonly seconds: number }) => {
      await ctx.sleep({ seconds });
      return `${name} is reminded`;
    },
  },
});

export const handler = createEndpointHandler({ services: [greeter] });
