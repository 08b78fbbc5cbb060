/** A counter for each key: its state is kept with it, and additions to one key never overlap. */
import * as restate from "@restatedev/restate-sdk";

const COUNT = "count";

const counter = restate.object({
  name: "counter",
  handlers: {
    /** Runs alone for its key: what it reads nobody changes until it has written. */
    add: async (ctx: restate.ObjectContext, by: number): Promise<number> => {
      const count = ((await ctx.get<number>(COUNT)) ?? 0) + by;
      ctx.set(COUNT, count);
      return count;
    },

    /** A shared handler reads beside an addition that runs, and does not wait for it. */
    get: restate.handlers.object.shared(
      async (ctx: restate.ObjectSharedContext): Promise<number> => (await ctx.get<number>(COUNT)) ?? 0,
    ),

    reset: async (ctx: restate.ObjectContext): Promise<void> => ctx.clear(COUNT),
  },
});

export const services = [counter];
