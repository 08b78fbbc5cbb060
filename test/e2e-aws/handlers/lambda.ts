/** Handlers as a Lambda function. */
import "../../../examples/polyfill.mjs";
import { createEndpointHandler, service } from "@restatedev/restate-sdk/lambda";
import type { Context } from "@restatedev/restate-sdk/lambda";

/** A copy for each stack, told apart by the environment in which it is deployed. */
const lambdaHandlers = service({
  name: "fn",
  handlers: {
    greet: async (_ctx: Context, name: string) => `hello ${name}`,
    fiveRuns: async (ctx: Context) => {
      const made: string[] = [];
      for (let run = 1; run <= 5; run++) made.push(await ctx.run(`run ${run}`, () => `${run}`));
      return made.join("");
    },
    /** Calls itself so often, and answers with the number of calls. */
    chain: async (ctx: Context, left: number): Promise<number> => {
      if (left === 0) return 0;
      return 1 + (await ctx.serviceClient<typeof lambdaHandlers>({ name: "fn" }).chain(left - 1));
    },
    nap: async (ctx: Context, ms: number) => {
      await ctx.sleep(ms);
      return "awake";
    },
  },
});

export const handler = createEndpointHandler({ services: [lambdaHandlers], logger: () => {} });
