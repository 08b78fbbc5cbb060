/** Handlers in a Lambda function that itself enforces Lambda's limit on an answer, because the emulator does not. */
import "../../../examples/polyfill.mjs";
import {
  createEndpointHandler,
  handlers,
  object,
  service,
  type Context,
  type ObjectContext,
  type ObjectSharedContext,
} from "@restatedev/restate-sdk/lambda";
import { asStreaming, asSwelling, withinAnswerLimit } from "./lambda-manners.ts";
import { noise } from "./noise.ts";

/** A service without state. The suite deploys two control planes to each emulator, and both call this one function. */
const lambdaHandlers = service({
  name: "fn",
  handlers: {
    greet: async (_ctx: Context, name: string) => `hello ${name}`,
    fiveRuns: async (ctx: Context) => {
      const made: string[] = [];
      for (let run = 1; run <= 5; run++) made.push(await ctx.run(`run ${run}`, () => `${run}`));
      return made.join("");
    },
    /** Calls itself `left` times, and returns the number of calls. */
    chain: async (ctx: Context, left: number): Promise<number> => {
      if (left === 0) return 0;
      return 1 + (await ctx.serviceClient<typeof lambdaHandlers>({ name: "fn" }).chain(left - 1));
    },
    nap: async (ctx: Context, ms: number) => {
      await ctx.sleep(ms);
      return "awake";
    },
    echo: async (_ctx: Context, text: string) => text,
    /** Ends its process, as running out of memory does. */
    crash: async () => process.exit(1),
    /** Never answers. */
    hang: async () => await new Promise<string>(() => undefined),
    /** Returns incompressible text of this length. */
    shout: async (_ctx: Context, characters: number) => noise(characters),
    /** Stores an incompressible text in each of its steps, and returns the total length of the texts. */
    hoard: async (ctx: Context, { steps, characters }: { readonly steps: number; readonly characters: number }) => {
      let kept = 0;
      for (let step = 1; step <= steps; step++) kept += (await ctx.run(`step ${step}`, () => noise(characters))).length;
      return kept;
    },
  },
});

const tally = object({
  name: "tally",
  handlers: {
    add: async (ctx: ObjectContext, amount: number) => {
      const total = ((await ctx.get<number>("total")) ?? 0) + amount;
      ctx.set("total", total);
      return total;
    },
    total: handlers.object.shared(async (ctx: ObjectSharedContext) => (await ctx.get<number>("total")) ?? 0),
    reset: async (ctx: ObjectContext) => ctx.clearAll(),
  },
});

const answer = createEndpointHandler({ services: [lambdaHandlers, tally], logger: () => {} });

export const handler = withinAnswerLimit(asSwelling(asStreaming(answer)));
