/** The object and the workflow with which the write budget is measured, and a service that calls the object. */
import * as restate from "@restatedev/restate-sdk";
import type {
  Context,
  ObjectContext,
  ObjectSharedContext,
  WorkflowContext,
  WorkflowSharedContext,
} from "@restatedev/restate-sdk";

const { handlers } = restate;

/** @param pass a function; its promise resolves when the gate lets the handler pass */
export function keyedServices(pass: () => Promise<void>) {
  const register = restate.object({
    name: "Register",
    handlers: {
      set: async (ctx: ObjectContext, value: string) => {
        ctx.set("value", value);
        return value;
      },
      setAndRun: async (ctx: ObjectContext, value: string) => {
        ctx.set("value", value);
        return await ctx.run("step", () => value);
      },
      atGate: async (ctx: ObjectContext, value: string) => {
        ctx.set("value", value);
        await pass();
        return value;
      },
      sleep: async (ctx: ObjectContext, ms: number) => {
        await ctx.sleep(ms);
        return "slept";
      },
      get: handlers.object.shared(async (ctx: ObjectSharedContext) => ctx.get<string>("value")),
    },
  });
  const registrar = restate.service({
    name: "Registrar",
    handlers: {
      set: async (ctx: Context, value: string) =>
        ctx
          .objectClient<{ set(ctx: ObjectContext, value: string): Promise<string> }>({ name: "Register" }, "k")
          .set(value),
    },
  });
  const approval = restate.workflow({
    name: "Approval",
    handlers: {
      run: async (ctx: WorkflowContext) => {
        ctx.set("step", "waiting");
        return await ctx.promise<string>("answer");
      },
      approve: handlers.workflow.shared(async (ctx: WorkflowSharedContext, answer: string) => {
        await ctx.promise<string>("answer").resolve(answer);
        return answer;
      }),
    },
  });
  return [register, registrar, approval];
}
