/** The services for the typed client: a service with a handler for each kind of request, an object, and a workflow. */
import * as restate from "@restatedev/restate-sdk";

const { handlers, serde, TerminalError } = restate;

/** The effects of the handlers in this process: greeted names, ids of awakeables, and a callback for the next awakeable. */
export const done = { greeted: [] as string[], awakeables: new Map<string, string>(), opened: () => {} };

export const greeter = restate.service({
  name: "Greeter",
  handlers: {
    greet: async (_ctx: restate.Context, name: string) => {
      done.greeted.push(name);
      return `Hello ${name}`;
    },
    nothing: async () => {},
    bytes: handlers.handler(
      { input: serde.binary, output: serde.binary },
      async (_ctx: restate.Context, bytes: Uint8Array) => bytes.toReversed(),
    ),
    header: async (ctx: restate.Context, name: string) => ctx.request().headers.get(name) ?? null,
    fail: async (_ctx: restate.Context, code: number): Promise<string> => {
      throw new TerminalError("no luck", { errorCode: code, metadata: { where: "here" } });
    },
    /** Waits for an awakeable, whose id it stores under the given name. */
    wait: async (ctx: restate.Context, name: string) => {
      const { id, promise } = ctx.awakeable<unknown>();
      // The first attempt may run before the acceptance is stored. After the sleep, the acceptance is stored, so a test that
      // gets the id finds the invocation.
      await ctx.sleep(1);
      done.awakeables.set(name, id);
      done.opened();
      return promise;
    },
  },
});

export const counter = restate.object({
  name: "Counter",
  handlers: {
    add: async (ctx: restate.ObjectContext, by: number) => {
      const sum = ((await ctx.get<number>("sum")) ?? 0) + by;
      ctx.set("sum", sum);
      return sum;
    },
    fail: async (_ctx: restate.ObjectContext, code: number): Promise<number> => {
      throw new TerminalError("no luck", { errorCode: code });
    },
    sum: handlers.object.shared(async (ctx: restate.ObjectSharedContext) => ctx.get<number>("sum")),
    key: handlers.object.shared(async (ctx: restate.ObjectSharedContext) => ctx.key),
  },
});

export const signup = restate.workflow({
  name: "Signup",
  handlers: {
    run: async (ctx: restate.WorkflowContext, name: string) => {
      ctx.set("step", "waiting");
      const answer = await ctx.promise<string>("answer");
      if (answer === "no") throw new TerminalError(`${name} was refused`, { errorCode: 403 });
      return `${name}: ${answer}`;
    },
    answer: handlers.workflow.shared(async (ctx: restate.WorkflowSharedContext, answer: string) => {
      await ctx.promise<string>("answer").resolve(answer);
    }),
    status: handlers.workflow.shared(async (ctx: restate.WorkflowSharedContext) => ctx.get<string>("step")),
  },
});

export const CLIENT_SERVICES = [greeter, counter, signup];
