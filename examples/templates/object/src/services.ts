/** A counter object: each key has its own count, and additions to one key never overlap. */
import * as restate from "@restatedev/restate-sdk";

const COUNT = "count";

const counter = restate.object({
  name: "counter",
  handlers: {
    /** Runs alone for its key, so no other call changes the count between the read and the write. */
    add: async (ctx: restate.ObjectContext, by: number): Promise<number> => {
      const count = ((await ctx.get<number>(COUNT)) ?? 0) + by;
      ctx.set(COUNT, count);
      return count;
    },

    /** A shared handler: it does not wait for an addition that is running. */
    get: restate.handlers.object.shared(
      async (ctx: restate.ObjectSharedContext): Promise<number> => (await ctx.get<number>(COUNT)) ?? 0,
    ),

    reset: async (ctx: restate.ObjectContext): Promise<void> => ctx.clear(COUNT),
  },
});

export const services = [counter];
