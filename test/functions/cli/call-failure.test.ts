/** What the command says about a call that the ingress refuses or cannot run again, with the real command and a real server. */
import {
  TerminalError,
  object,
  service,
  workflow,
  type Context,
  type ObjectContext,
  type WorkflowContext,
  type WorkflowSharedContext,
} from "@restatedev/restate-sdk";
import { afterAll, beforeAll, expect, it } from "vitest";
import { buildCommand, type BuiltCommand } from "../../harness/cli/built-command.ts";
import { openScriptedServer } from "../../harness/cli/scripted-server.ts";
import { scribe } from "../../harness/cli/transcript.ts";
import { openLocalStage, type LocalStage } from "../../harness/local/local-stage.ts";

const checkout = workflow({
  name: "Checkout",
  handlers: {
    run: async (ctx: WorkflowContext, how: string): Promise<string> => {
      if (how === "fail") throw new TerminalError("out of stock", { errorCode: 410 });
      if (how === "conflict") throw new TerminalError("sold twice", { errorCode: 409 });
      return how === "wait" ? await ctx.promise<string>("paid") : "done";
    },
    pay: async (ctx: WorkflowSharedContext): Promise<void> => ctx.promise<string>("paid").resolve("yes"),
  },
});

const customer = object({
  name: "Customer",
  handlers: {
    get: async (ctx: ObjectContext): Promise<string> => ctx.key,
    clash: async (_ctx: ObjectContext): Promise<void> => {
      throw new TerminalError("two at once", { errorCode: 409 });
    },
  },
});

const greeter = service({ name: "Greeter", handlers: { greet: async (_ctx: Context): Promise<string> => "hello" } });

let command: BuiltCommand;
let stage: LocalStage;
let env: Readonly<Record<string, string>>;

beforeAll(async () => {
  [command, stage] = await Promise.all([buildCommand(), openLocalStage({ services: [checkout, customer, greeter] })]);
  env = { STEPWELL_ADMIN_URL: stage.adminUri, STEPWELL_INGRESS_URL: stage.ingressUri };
});

afterAll(async () => {
  await command.remove();
  await stage.close();
});

it("the command says that the server refused a second call of a workflow, and how its run ended", async () => {
  const script = scribe(command, env);
  expect(await script.run(`call Checkout/run --key good --data '"now"'`)).toBe(0);
  expect(await script.run(`call Checkout/run --key good --data '"now"'`)).toBe(1);
  expect(await script.run(`send Checkout/run --key good --data '"now"'`)).toBe(0);
  expect(await script.run(`call Checkout/run --key bad --data '"fail"'`)).toBe(5);
  expect(await script.run(`call Checkout/run --key bad --data '"now"'`)).toBe(1);
  expect(await script.run(`send Checkout/run --key open --data '"wait"'`)).toBe(0);
  expect(await script.run(`call Checkout/run --key open --data '"now"'`)).toBe(1);
  expect(await script.run(`call Checkout/run --key open --data '"now"' --json`)).toBe(1);
  expect(await script.run("call Checkout/pay --key open")).toBe(0);
  await expect(script.text).toMatchFileSnapshot("transcripts/workflow-again.txt");
});

it("the command says that a workflow or an object failed if its handler ends with 409", async () => {
  const script = scribe(command, env);
  expect(await script.run(`call Checkout/run --key clash --data '"conflict"'`)).toBe(5);
  expect(await script.run(`call Checkout/run --key clash --data '"conflict"'`)).toBe(1);
  expect(await script.run("call Customer/clash --key ann")).toBe(5);
  await expect(script.text).toMatchFileSnapshot("transcripts/call-conflict.txt");
});

it("a call without the key of its object says which key is missing, and a call of a service needs none", async () => {
  const script = scribe(command, env);
  expect(await script.run("call Customer/get")).toBe(1);
  expect(await script.run("send Customer/get")).toBe(1);
  expect(await script.run("send Customer/get --delay 1h")).toBe(1);
  expect(await script.run("call Customer/get --key ann")).toBe(0);
  expect(await script.run("call Greeter/greet --key ann")).toBe(1);
  await expect(script.text).toMatchFileSnapshot("transcripts/call-key.txt");
});

it("a conflict is left open if the server does not say what became of the invocation", async () => {
  const server = await openScriptedServer();
  try {
    const id = `inv_1${"a".repeat(33)}`;
    const failed = { code: 409, message: "taken", source: "invocation" };
    server.answer(({ method }) =>
      method === "POST"
        ? {
            status: 409,
            body: JSON.stringify(failed),
            headers: { "x-restate-id": id, "x-restate-error-source": "invocation" },
          }
        : { status: 503, body: JSON.stringify({ code: 503, message: "later", source: "ingress" }) },
    );
    const { stderr, code } = await command.run(["call", "Checkout/run", "--key", "k"], { env: server.env });
    expect(code).toBe(1);
    expect(stderr).toContain(`the server did not say whether ${id} ran before or has failed now`);
  } finally {
    await server.close();
  }
});
