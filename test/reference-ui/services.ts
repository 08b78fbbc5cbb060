/** Handlers for the history: each leaves an invocation in another status or with other entries. */
import "../../examples/polyfill.mjs";
import * as restate from "@restatedev/restate-sdk";

/** A separate type, because a service that calls itself cannot refer to its own type. */
interface Greeting {
  greet(ctx: restate.Context, name: string): Promise<string>;
}

const greeter = restate.service({
  name: "Greeter",
  handlers: {
    greet: async (ctx: restate.Context, name: string) => await ctx.run("compose", () => `Hello ${name}`),
    nap: async (ctx: restate.Context) => {
      await ctx.sleep(3_600_000);
    },
    refuse: async () => {
      throw new restate.TerminalError("not today", { errorCode: 409 });
    },
    // The next attempt is an hour away, so the status stays the same while the pages are read.
    stumble: restate.handlers.handler(
      { retryPolicy: { initialInterval: { hours: 1 }, maxInterval: { hours: 1 } } },
      async (ctx: restate.Context) => {
        await ctx.run("first", () => 1);
        throw new Error("never well");
      },
    ),
    call: async (ctx: restate.Context): Promise<string> =>
      await ctx.serviceClient<Greeting>({ name: "Greeter" }).greet("caller"),
    run: async () => await new Promise<never>(() => {}),
    await: async (ctx: restate.Context) => await ctx.awakeable<string>().promise,
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
      ctx.set("held", true);
      await ctx.sleep(3_600_000);
    },
  },
});

const signup = restate.workflow({
  name: "Signup",
  handlers: {
    run: async (ctx: restate.WorkflowContext, email: string) => {
      ctx.set("email", email);
      return await ctx.promise<string>("verified");
    },
    verify: async (ctx: restate.WorkflowSharedContext, code: string) => {
      await ctx.promise<string>("verified").resolve(code);
    },
  },
});

export const SERVICES = [greeter, counter, signup];
