/** Deadlines, singleton keys and debounce, as callers and handlers ask for them. */
import * as restate from "@restatedev/restate-sdk";

export const archive = {
  /** The rooms that the handlers have given back. */
  released: [] as string[],
};

export const reports = restate.service({
  name: "reports",
  handlers: {
    /** A deadline cancels: the wait throws, and the handler gives back what it holds. */
    build: async (ctx: restate.Context, ms: number): Promise<string> => {
      try {
        await ctx.sleep(ms);
        return "built";
      } catch (error) {
        if (error instanceof restate.CancelledError) await ctx.run("release", () => void archive.released.push("room"));
        throw error;
      }
    },

    /** The code of a handler may state its deadlines. */
    index: restate.handlers.handler(
      { metadata: { "stepwell/end-within": "1m" } },
      async (_ctx: restate.Context, text: string): Promise<string> => `indexed ${text}`,
    ),
  },
});

export const press = restate.service({
  name: "press",
  handlers: {
    /** The call has as much time as this handler has left. */
    publish: async (ctx: restate.Context, ms: number): Promise<string> => {
      const headers = { "x-stepwell-end-within": "inherit" };
      return ctx.serviceClient(reports).build(ms, restate.rpc.opts({ headers }));
    },
  },
});
