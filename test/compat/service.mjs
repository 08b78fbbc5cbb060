/** The deployment under load: the same handlers for every server, in a separate process, whose first argument is its port. */
import * as restate from "@restatedev/restate-sdk";

/** Each link of the chain calls the next, so that one request is four invocations deep. */
const LINKS = 3;
const CHILDREN = 20;

/** The number of completed echoes, and the time of the last: a send has no answer that shows it. */
let ended = 0;
let lastEndedAtMs = 0;

async function grow(ctx, text, steps, growth) {
  let grown = text;
  for (let step = 0; step < steps; step++) grown = await ctx.run(`step ${step}`, () => growth(grown, step));
  return grown;
}

const bench = restate.service({
  name: "bench",
  handlers: {
    echo: async (_ctx, { text }) => {
      ended += 1;
      lastEndedAtMs = Date.now();
      return text;
    },

    chain: async (ctx, { text, depth = 0 }) => {
      if (depth === LINKS) return text;
      const answer = await ctx.serviceClient({ name: "bench" }).chain({ text, depth: depth + 1 });
      return `${answer}.${depth}`;
    },

    fanout: async (ctx, { text }) => {
      const client = ctx.serviceClient({ name: "bench" });
      const answers = await restate.RestatePromise.all(Array.from({ length: CHILDREN }, () => client.echo({ text })));
      return `${text}${answers.filter((answer) => answer === text).length}`;
    },

    run: (ctx, { text }) => grow(ctx, text, 1, (grown) => `${grown}!`),

    runs: (ctx, { text }) => grow(ctx, text, 5, (grown, step) => `${grown}${step}`),

    runs50: (ctx, { text }) => grow(ctx, text, 50, (_grown, step) => `${text}${step + 1}`),
  },
});

const counter = restate.object({
  name: "counter",
  handlers: {
    add: async (ctx, { text }) => {
      ctx.set("count", ((await ctx.get("count")) ?? 0) + 1);
      return text;
    },
  },
});

process.on("message", () => process.send({ ended, lastEndedAtMs }));
// The parent has ended, so no process is left that would end this one.
process.on("disconnect", () => process.exit());

await restate.serve({ services: [bench, counter], port: Number(process.argv[2]) });
