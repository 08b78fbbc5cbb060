/** Handlers for the suites that open a web UI: each leaves an invocation in another status, or with other entries. */
import "../../../examples/polyfill.mjs";
import * as restate from "@restatedev/restate-sdk";

/** A separate type, because a service that calls itself cannot refer to its own type. */
interface Greeting {
  greet(ctx: restate.Context, name: string): Promise<string>;
}

const HOUR = { hours: 1 };
/** The next attempt is an hour away, so the status stays the same while the pages are read. */
const seldom = { retryPolicy: { initialInterval: HOUR, maxInterval: HOUR } };

const greeter = restate.service({
  name: "Greeter",
  handlers: {
    greet: async (ctx: restate.Context, name: string) => await ctx.run("compose", () => `Hello ${name}`),
    nap: async (ctx: restate.Context) => {
      await ctx.sleep(HOUR);
    },
    refuse: async () => {
      throw new restate.TerminalError("not today", { errorCode: 409 });
    },
    stumble: restate.handlers.handler(seldom, async (ctx: restate.Context) => {
      await ctx.run("first", () => 1);
      throw new Error("never well");
    }),
    call: async (ctx: restate.Context): Promise<string> =>
      await ctx.serviceClient<Greeting>({ name: "Greeter" }).greet("caller"),
    run: async () => await new Promise<never>(() => {}),
    await: async (ctx: restate.Context) => await ctx.awakeable<string>().promise,
    echo: async (_ctx: restate.Context, value: unknown) => value,
    /** Sends `count` messages to `greet`, so that the journal is long. */
    fan: async (ctx: restate.Context, count: number) => {
      const names = Array.from({ length: count }, (_, at) => `guest ${at}`);
      for (const name of names) ctx.serviceSendClient<Greeting>({ name: "Greeter" }).greet(name);
      return count;
    },
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
    put: async (ctx: restate.ObjectContext, values: Record<string, unknown>) => {
      for (const [name, value] of Object.entries(values)) ctx.set(name, value);
    },
    hold: async (ctx: restate.ObjectContext) => {
      ctx.set("held", true);
      await ctx.sleep(HOUR);
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
