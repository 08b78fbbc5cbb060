/** The deployment under load: the same handlers for every server, in a separate process, whose first argument is its port. */
import * as restate from "@restatedev/restate-sdk";

/** Each link of the chain calls the next, so that one request is four invocations deep. */
const LINKS = 3;
const CHILDREN = 20;

/** The number of completed echoes, and the time of the last one: the answer to a send does not show when its echo completes. */
let ended = 0;
let lastEndedAtMs = 0;
/** The numbers of the naps that have begun, the numbers of those that began after their moment, and how late each nap woke. */
let naps = emptyNaps();

function emptyNaps() {
  return { begun: new Set(), missed: new Set(), latenessesMs: new Map() };
}

/**
 * Sleeps until `dueAtMs` and notes how late the sleep ended. The moment is part of the input, so that every attempt knows it.
 */
async function nap(ctx, { number, dueAtMs }) {
  const leftMs = dueAtMs - Date.now();
  // Every attempt runs these lines; only the first attempt tells whether there was anything left to sleep.
  if (!naps.begun.has(number) && leftMs <= 0) naps.missed.add(number);
  naps.begun.add(number);
  await ctx.sleep(Math.max(leftMs, 0));
  if (!naps.latenessesMs.has(number))
    naps.latenessesMs.set(number, performance.timeOrigin + performance.now() - dueAtMs);
}

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

    nap,
  },
});

/** A sleep of this service suspends the invocation at once, whereas a sleep of `bench` keeps its exchange open for a time. */
const suspending = restate.service({
  name: "suspending",
  handlers: { nap },
  options: { inactivityTimeout: 0 },
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

/** The questions of the parent. */
const ANSWERS = {
  "ended?": () => ({ ended, lastEndedAtMs }),
  "naps?": () => ({ begun: naps.begun.size, woken: naps.latenessesMs.size }),
  // Naps that began after their moment are left out, and the next naps are noted anew.
  "latenesses?": () => {
    const inTime = [...naps.latenessesMs].filter(([number]) => !naps.missed.has(number));
    naps = emptyNaps();
    return inTime.map(([, latenessMs]) => latenessMs);
  },
};

process.on("message", (question) => process.send(ANSWERS[question]()));
// The parent has ended, so no process is left that would end this one.
process.on("disconnect", () => process.exit());

await restate.serve({ services: [bench, suspending, counter], port: Number(process.argv[2]) });
