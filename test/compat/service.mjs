/** The deployment under load: the same handlers for every server, in a process of its own. Its first argument is its port. */
import * as restate from "@restatedev/restate-sdk";

/** Each link of the chain calls the next, so that one request is four invocations deep. */
const LINKS = 3;

const bench = restate.service({
  name: "bench",
  handlers: {
    echo: async (_ctx, { text }) => text,

    chain: async (ctx, { text, depth = 0 }) => {
      if (depth === LINKS) return text;
      const answer = await ctx.serviceClient({ name: "bench" }).chain({ text, depth: depth + 1 });
      return `${answer}.${depth}`;
    },

    run: async (ctx, { text }) => await ctx.run("step", () => `${text}!`),

    runs: async (ctx, { text }) => {
      let grown = text;
      for (let step = 0; step < 5; step++) grown = await ctx.run(`step ${step}`, () => `${grown}${step}`);
      return grown;
    },
  },
});

await restate.serve({ services: [bench], port: Number(process.argv[2]) });
