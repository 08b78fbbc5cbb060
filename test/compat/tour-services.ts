/** Handlers for the tour: one that ends, one that sleeps, one that always fails, one that calls, and a counter with state. */
import "../../examples/polyfill.mjs";
import * as restate from "@restatedev/restate-sdk";

/** A separate type, because a service that calls itself cannot refer to its own type. */
interface Greeting {
  greet(ctx: restate.Context, name: string): Promise<string>;
}

const greeter = restate.service({
  name: "Greeter",
  handlers: {
    greet: async (ctx: restate.Context, name: string) => {
      const greeting = await ctx.run("compose", () => `Hello ${name}`);
      return greeting;
    },
    nap: async (ctx: restate.Context) => {
      await ctx.sleep(3_600_000);
      return "slept";
    },
    // The waits before retries are long, so that only a resume starts an attempt and the status stays the same.
    stumble: restate.handlers.handler({ retryPolicy: { initialInterval: { hours: 1 } } }, async () => {
      throw new Error("never well");
    }),
    call: async (ctx: restate.Context): Promise<string> =>
      await ctx.serviceClient<Greeting>({ name: "Greeter" }).greet("caller"),
  },
});

const counter = restate.object({
  name: "Counter",
  handlers: {
    add: async (ctx: restate.ObjectContext, by: number) => {
      const sum = ((await ctx.get<number>("count")) ?? 0) + by;
      ctx.set("count", sum);
      return sum;
    },
    hold: async (ctx: restate.ObjectContext) => {
      await ctx.sleep(3_600_000);
    },
  },
});

export type AnyService = typeof greeter | typeof counter;
export const TOUR_SERVICES: AnyService[] = [greeter, counter];
