/** The services of the end-to-end tests of keys, state and promises: an object, a workflow, and a service without a key. */
import * as restate from "@restatedev/restate-sdk";

const { handlers } = restate;

/** `addAtGate` holds its key until a test calls `pass`. */
export const gate = { pass: (): void => {} };

const counter = restate.object({
  name: "Counter",
  handlers: {
    add: async (ctx: restate.ObjectContext, by: number) => {
      const sum = ((await ctx.get<number>("sum")) ?? 0) + by;
      ctx.set("sum", sum);
      return sum;
    },
    addAtGate: async (ctx: restate.ObjectContext, by: number) => {
      await new Promise<void>((resolve) => (gate.pass = resolve));
      ctx.set("sum", by);
      return by;
    },
    key: handlers.object.shared(async (ctx: restate.ObjectSharedContext) => ctx.key),
    sum: handlers.object.shared(async (ctx: restate.ObjectSharedContext) => ctx.get<number>("sum")),
    state: handlers.object.shared(async (ctx: restate.ObjectSharedContext) => {
      const names = (await ctx.stateKeys()).toSorted();
      const values: Record<string, unknown> = {};
      for (const name of names) values[name] = await ctx.get(name);
      return values;
    }),
    put: async (ctx: restate.ObjectContext, values: Record<string, unknown>) => {
      for (const [name, value] of Object.entries(values)) ctx.set(name, value);
    },
  },
});

const signup = restate.workflow({
  name: "Signup",
  handlers: {
    run: async (ctx: restate.WorkflowContext, name: string) => {
      ctx.set("step", "waiting");
      const answer = await ctx.promise<string>("answer");
      return `${name}: ${answer}, ${(await ctx.get<string>("note")) ?? (await ctx.get<string>("step"))}`;
    },
    answer: handlers.workflow.shared(async (ctx: restate.WorkflowSharedContext, answer: string) => {
      await ctx.promise<string>("answer").resolve(answer);
      return answer;
    }),
    step: handlers.workflow.shared(async (ctx: restate.WorkflowSharedContext) => ctx.get<string>("step")),
  },
});

const greeter = restate.service({
  name: "Greeter",
  handlers: { greet: async (_ctx: restate.Context, name: string) => `Hello ${name}` },
});

export const KEYED_SERVICES = [counter, signup, greeter];
