/** The services of the end-to-end tests of the ingress: handlers for each kind of answer, an object and a workflow. */
import * as restate from "@restatedev/restate-sdk";

const { handlers, serde } = restate;

const BINARY = { input: serde.binary, output: serde.binary };
const JSON_WITH_SCHEMA = { ...(serde.json as restate.Serde<unknown>), jsonSchema: { title: "Greeting" } };
const ONCE = { maxAttempts: 1, onMaxAttempts: "kill" } as const;

const greeter = restate.service({
  name: "Greeter",
  handlers: {
    greet: async (_ctx: restate.Context, name: string) => `Hello ${name}`,
    echo: handlers.handler(BINARY, async (_ctx: restate.Context, bytes: Uint8Array) => bytes),
    /** Accepts any content type and returns the headers. */
    headers: handlers.handler({ accept: "*/*", input: serde.binary }, async (ctx: restate.Context) =>
      Object.fromEntries(ctx.request().headers.entries()),
    ),
    schema: handlers.handler({ input: JSON_WITH_SCHEMA }, async (_ctx: restate.Context, value: unknown) => value),
    hidden: handlers.handler({ ingressPrivate: true }, async (_ctx: restate.Context) => "hidden"),
    fail: async (_ctx: restate.Context, code: number): Promise<void> => {
      throw new restate.TerminalError("custom boom", { errorCode: code, metadata: { k1: "v1" } });
    },
    crash: handlers.handler({ retryPolicy: ONCE }, async (_ctx: restate.Context): Promise<void> => {
      throw new Error("it broke");
    }),
    wait: async (ctx: restate.Context) => ctx.awakeable<string>().promise,
    sleep: async (ctx: restate.Context, ms: number) => {
      await ctx.sleep(ms);
      return "slept";
    },
  },
});

const counter = restate.object({
  name: "Counter",
  handlers: { add: async (_ctx: restate.ObjectContext, by: number) => by },
});

const signup = restate.workflow({
  name: "Signup",
  handlers: { run: async (_ctx: restate.WorkflowContext, name: string) => name },
});

export const INGRESS_SERVICES = [greeter, counter, signup];
