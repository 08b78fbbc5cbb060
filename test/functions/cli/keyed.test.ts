/** The output about objects and workflows: their queues, their journals, and edits of a state that is in use. */
import { createServer } from "node:http2";
import {
  createEndpointHandler,
  object,
  service,
  workflow,
  type Context,
  type ObjectContext,
  type WorkflowContext,
} from "@restatedev/restate-sdk";
import { afterAll, beforeAll, expect, it } from "vitest";
import { listen, openLocalStage, type LocalStage } from "../../harness/local/local-stage.ts";
import { buildCommand, type BuiltCommand } from "../../harness/cli/built-command.ts";
import { scribe } from "../../harness/cli/transcript.ts";
import { fetch } from "../../harness/local/admin-access.ts";

const bell = service({ name: "Bell", handlers: { ring: async (_ctx: Context): Promise<void> => {} } });

const desk = object({
  name: "Desk",
  handlers: {
    /** Holds the key until its sleep ends. */
    serve: async (ctx: ObjectContext): Promise<void> => {
      ctx.set("served", ((await ctx.get<number>("served")) ?? 0) + 1);
      ctx.serviceSendClient(bell).ring();
      await ctx.sleep({ hours: 1 });
    },
    close: async (ctx: ObjectContext): Promise<void> => ctx.clear("served"),
  },
});

const signup = workflow({
  name: "SignUp",
  handlers: {
    run: async (ctx: WorkflowContext): Promise<boolean> => {
      ctx.set("status", "waiting");
      return await ctx.promise<boolean>("confirmed");
    },
  },
});

let command: BuiltCommand;
let stage: LocalStage;
let env: Readonly<Record<string, string>>;

/** A handler that waits is suspended at once, not after the minute for which its exchange would stay open. */
const SUSPENDS_AT_ONCE = { "worker.invoker.inactivity-timeout": "0s" } as const;

beforeAll(async () => {
  [command, stage] = await Promise.all([
    buildCommand(),
    openLocalStage({ services: [bell, desk, signup], flags: SUSPENDS_AT_ONCE }),
  ]);
  env = { STEPWELL_ADMIN_URL: stage.adminUri, STEPWELL_INGRESS_URL: stage.ingressUri };
});

afterAll(async () => {
  await command.remove();
  await stage.close();
});

interface Shown {
  readonly status: string;
  readonly entries: readonly { readonly type: string }[];
  readonly wake_at?: string;
  readonly queue?: object;
}

async function shown(id: string): Promise<Shown> {
  return (await (await fetch(`${stage.adminUri}/invocations/${id}`)).json()) as Shown;
}

/** Sends, and waits until the invocation is parked, so that its wake time or its place in the queue is known. */
async function sent(path: string, status: string, lastEntry: string): Promise<string> {
  const response = await fetch(`${stage.ingressUri}/${path}/send`, { method: "POST" });
  const { invocationId } = (await response.json()) as { invocationId: string };
  const where = async (): Promise<unknown> => {
    const { status: now, entries, wake_at: wakes, queue } = await shown(invocationId);
    return [now, entries.at(-1)?.type, wakes !== undefined, queue !== undefined];
  };
  const expected = [status, `Command: ${lastEntry}`, lastEntry === "Sleep", status === "pending"];
  await expect.poll(where).toEqual(expected);
  return invocationId;
}

it("an invocation that waits for a key is shown with its place and the holder", async () => {
  const holder = await sent("Desk/front%2Fleft/serve", "suspended", "Sleep");
  const second = await sent("Desk/front%2Fleft/close", "pending", "Input");
  const third = await sent("Desk/front%2Fleft/close", "pending", "Input");
  // A driver waits in memory for a moment before it parks.
  const listed = async (): Promise<number> => {
    const response = await fetch(`${stage.adminUri}/invocations?service=Desk&status=pending`);
    return ((await response.json()) as { readonly invocations: readonly unknown[] }).invocations.length;
  };
  await expect.poll(listed).toBe(2);
  const script = scribe(command, env);
  for (const id of [holder, second, third]) expect(await script.run(`invocations describe ${id}`)).toBe(0);
  expect(await script.run("inv ls --key front/left --status pending suspended")).toBe(0);
  const { stdout } = await command.run(["inv", "get", third, "--json"], { env });
  expect(JSON.parse(stdout)).toMatchObject({ queue: { place: 2, held_by: holder }, target_service_key: "front/left" });

  expect(await script.run("state set Desk front/left served=9 --yes")).toBe(0);
  expect(await script.run("state get Desk front/left")).toBe(0);
  expect(await script.run(`invocations cancel ${second} ${third} --yes`)).toBe(0);
  expect(await script.run(`invocations cancel ${holder} --yes`)).toBe(0);
  const open = ["inv", "ls", "--key", "front/left", "--status", "open", "--json"];
  const left = async (): Promise<unknown> => JSON.parse((await command.run(open, { env })).stdout);
  await expect.poll(left).toEqual({ invocations: [] });
  // The edit waited for the key behind these invocations.
  const state = async (): Promise<string> =>
    (await command.run(["state", "get", "Desk", "front/left", "served"], { env })).stdout;
  await expect.poll(state).toBe("9\n");
  expect(await script.run(`invocations describe ${holder}`)).toBe(0);
  await expect(script.text).toMatchFileSnapshot("transcripts/queue.txt");
});

it("a workflow shows its state and what it waits for", async () => {
  const id = await sent("SignUp/ada/run", "suspended", "GetPromise");
  const script = scribe(command, env);
  expect(await script.run(`invocations describe ${id}`)).toBe(0);
  expect(await script.run("state get SignUp ada")).toBe(0);
  expect(await script.run("state get SignUp nobody --json")).toBe(0);
  const { stdout } = await command.run(["inv", "get", id, "--json"], { env });
  const keys = (JSON.parse(stdout) as { entries: { key?: string }[] }).entries.map(({ key }) => key);
  expect(keys.filter((key) => key !== undefined)).toEqual(["status", "confirmed"]);
  await expect(script.text).toMatchFileSnapshot("transcripts/workflow.txt");
});

it("the output of register, list and describe shows that a service has keys", async () => {
  const script = scribe(command, env);
  const counter = object({ name: "Counter", handlers: { add: async (_ctx: ObjectContext): Promise<void> => {} } });
  const server = await listen(createServer(createEndpointHandler({ services: [counter], logger: () => {} })));
  expect(await script.run(`dp add ${server.uri} --yes`)).toBe(0);
  await server.close();
  expect(await script.run("svc ls")).toBe(0);
  expect(await script.run("svc describe Desk")).toBe(0);
  expect(await script.run("svc describe SignUp")).toBe(0);
  await expect(script.text).toMatchFileSnapshot("transcripts/keyed-services.txt");
});
