/** Changes the code of a handler under its sleeping invocations, and follows each way out that the CLI prints. */
import { createServer } from "node:http2";
import { createEndpointHandler, service, type Context } from "@restatedev/restate-sdk";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { listen, openLocalStage, type Listening, type LocalStage } from "../../harness/local/local-stage.ts";
import { buildCommand, type BuiltCommand } from "../../harness/cli/built-command.ts";
import { scribe } from "../../harness/cli/transcript.ts";
import { fetch } from "../../harness/local/admin-access.ts";

type Code = "former" | "new";

const SLEEP_MS = 3_000;
const FAILING = { status: "backing-off", last_failure: { error_code: "RT0016" } };

let deployed: Code = "former";
const reservations: string[] = [];

/** @param codeOf a function that returns the code that the endpoint runs at the moment of the call */
const orders = (codeOf: () => Code) =>
  service({
    name: "Orders",
    handlers: {
      place: async (ctx: Context, order: string): Promise<string> => {
        await ctx.run("reserve", () => void reservations.push(order));
        if (codeOf() === "new") return `${await ctx.run("notify", () => "notified")}, then charged`;
        await ctx.sleep(SLEEP_MS, "cooling off");
        return await ctx.run("charge", () => "charged");
      },
    },
  });

let command: BuiltCommand;
let stage: LocalStage;
let former: Listening;
let env: Readonly<Record<string, string>>;

beforeAll(async () => {
  const served = listen(createServer(createEndpointHandler({ services: [orders(() => "former")], logger: () => {} })));
  [command, former, stage] = await Promise.all([
    buildCommand(),
    served,
    // No automatic retry comes during the test, so only the commands of the test repair an invocation.
    openLocalStage({
      services: [orders(() => deployed)],
      flags: {
        "default-retry-policy.initial-interval": "1h",
        "default-retry-policy.max-interval": "1h",
        // Each await ends the attempt, so that the next attempt runs the changed code.
        "worker.invoker.inactivity-timeout": "0s",
      },
    }),
  ]);
  env = { STEPWELL_ADMIN_URL: stage.adminUri, STEPWELL_INGRESS_URL: stage.ingressUri };
});

beforeEach(() => void (deployed = "former"));

afterAll(async () => {
  await Promise.all([command.remove(), former.close()]);
  await stage.close();
});

interface Shown {
  readonly status: string;
  readonly outcome?: string;
  readonly last_failure?: { readonly error_code: string };
}

async function shown(id: string): Promise<Shown> {
  return (await (await fetch(`${stage.adminUri}/invocations/${id}`)).json()) as Shown;
}

/** Sends an order. @returns the id of the invocation, which sleeps */
async function suspended(order: string): Promise<string> {
  const init = { method: "POST", body: JSON.stringify(order), headers: { "content-type": "application/json" } };
  const response = await fetch(`${stage.ingressUri}/Orders/place/send`, init);
  const { invocationId } = (await response.json()) as { invocationId: string };
  await expect.poll(() => shown(invocationId)).toMatchObject({ status: "suspended" });
  return invocationId;
}

/**
 * Sends an order, and changes the code while the invocation sleeps.
 * @returns the id of the invocation, after an attempt on the new code has failed
 */
async function changedUnder(order: string): Promise<string> {
  const id = await suspended(order);
  deployed = "new";
  await expect.poll(() => shown(id)).toMatchObject(FAILING);
  return id;
}

/** The commands that `describe` prints below a way out. */
async function commandsBelow(id: string, text: RegExp): Promise<readonly string[]> {
  const { stdout } = await command.run(["invocations", "describe", id], { env });
  const ways = stdout
    .split("Ways out:\n\n")[1]!
    .split(/^ {2}\d\. /m)
    .slice(1);
  const way = ways.find((one) => text.test(one)) ?? "";
  return way
    .split("\n")
    .filter((line) => line.startsWith("     stepwell "))
    .map((line) => line.trim());
}

/** Runs a printed command as it is, and confirms if the command asks. @returns the output of the command */
async function follow(printed: string): Promise<string> {
  const [name, ...args] = printed.split(" ");
  expect(name).toBe("stepwell");
  const { stdout, code } = await command.run(args, { env, typed: { after: "?", keys: "yes\r" } });
  expect([printed, code, code === 0 ? "" : stdout]).toEqual([printed, 0, ""]);
  return stdout;
}

const result = async (id: string): Promise<unknown> =>
  (await fetch(`${stage.ingressUri}/restate/invocation/${id}/attach`)).json();

test("the former code is back in place, and a resume makes the next attempt at once", async () => {
  const script = scribe(command, env);
  const id = await changedUnder("restored");
  expect(await script.run(`invocations describe ${id}`)).toBe(0);
  await expect(script.text).toMatchFileSnapshot("transcripts/changed-code.txt");
  deployed = "former";
  for (const printed of await commandsBelow(id, /former code again at the address/)) await follow(printed);
  expect(await result(id)).toBe("charged");
});

test("the invocation is killed", async () => {
  const id = await changedUnder("killed");
  for (const printed of await commandsBelow(id, /^End the invocation\./)) await follow(printed);
  expect(await shown(id)).toMatchObject({ status: "completed", outcome: "killed" });
});

test("the invocation starts again on the new code, and keeps the results before the difference", async () => {
  const id = await changedUnder("restarted");
  const outputs = [];
  for (const printed of await commandsBelow(id, /start it again/)) outputs.push(await follow(printed));
  const next = outputs
    .at(-1)!
    .match(/inv_\w+/g)!
    .find((found) => found !== id)!;
  expect(await result(next)).toBe("notified, then charged");
  expect(reservations.filter((order) => order === "restarted")).toHaveLength(1);
});

test("the invocation continues on the former code at another address, which may be registered already", async () => {
  const id = await changedUnder("moved");
  const printed = await commandsBelow(id, /former code at another address/);
  const registered = await follow(printed[0]!.replace("<address>", former.uri));
  const deployment = /dp_\w+/.exec(registered)![0];
  for (const one of printed.slice(1)) await follow(one.replace("<deployment-id>", deployment));
  expect(await result(id)).toBe("charged");

  // The newest deployment is now the one with the former code, so this invocation starts there. Then the deployment of the stage,
  // which runs the new code, is registered again. The resume moves the invocation to it, and its code does not match the journal.
  const other = await suspended("moved again");
  deployed = "new";
  await stage.register(stage.endpointUri!, { force: true });
  await follow(`stepwell invocations resume ${other} --deployment latest`);
  await expect.poll(() => shown(other)).toMatchObject(FAILING);
  expect(await commandsBelow(other, /former code again at the address/)).toEqual([]);
  for (const one of await commandsBelow(other, new RegExp(`^Continue on deployment ${deployment}`))) await follow(one);
  expect(await result(other)).toBe("charged");
});

test("the log names each difference once, with the ways out", async () => {
  const id = await changedUnder("logged");
  await follow(`stepwell invocations resume ${id}`);
  await expect.poll(async () => (await shown(id)).status).toBe("backing-off");
  const lines = stage.logged.filter((line) => line.includes("took another path") && line.includes(id));
  expect(lines).toHaveLength(1);
  expect(lines[0]).toContain(`| kill: stepwell invocations kill ${id}`);
});
