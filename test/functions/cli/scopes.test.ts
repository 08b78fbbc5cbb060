/** Scopes and limit keys on the command line: calls, lists, and the state of keys. */
import { object, type ObjectContext } from "@restatedev/restate-sdk";
import { afterAll, beforeAll, expect, it } from "vitest";
import { buildCommand, type BuiltCommand } from "../../harness/cli/built-command.ts";
import { scribe } from "../../harness/cli/transcript.ts";
import { openLocalStage, type LocalStage } from "../../harness/local/local-stage.ts";

const counter = object({
  name: "Counter",
  handlers: {
    add: async (ctx: ObjectContext, by: number): Promise<number> => {
      const count = ((await ctx.get<number>("count")) ?? 0) + by;
      ctx.set("count", count);
      return count;
    },
  },
});

let command: BuiltCommand;
let stage: LocalStage;
let env: Readonly<Record<string, string>>;

beforeAll(async () => {
  [command, stage] = await Promise.all([buildCommand(), openLocalStage({ services: [counter] })]);
  env = { STEPWELL_ADMIN_URL: stage.adminUri, STEPWELL_INGRESS_URL: stage.ingressUri };
});

afterAll(async () => {
  await command.remove();
  await stage.close();
});

it("a call, a list and a change of state go to the key of the scope", async () => {
  const script = scribe(command, env);
  expect(await script.run("call Counter/add --key ada --data 1")).toBe(0);
  expect(await script.run("call Counter/add --key ada --scope acme --limit-key gold/eu --data 5")).toBe(0);
  expect(await script.run("send Counter/add --key ada --scope acme --data 1 --delay 1h")).toBe(0);
  expect(await script.run("invocations list --scope acme --limit-key gold/eu")).toBe(0);
  expect(await script.run("invocations list --scope other")).toBe(0);
  expect(await script.run("state get Counter ada")).toBe(0);
  expect(await script.run("state get Counter ada --scope acme")).toBe(0);
  expect(await script.run("state set Counter ada count=40 --scope acme --yes")).toBe(0);
  expect(await script.run("call Counter/add --key ada --scope acme --data 2")).toBe(0);
  expect(await script.run("state get Counter ada nothing --scope acme")).toBe(1);
  expect(await script.run("state clear Counter --scope acme --yes")).toBe(0);
  expect(await script.run("call Counter/add --key ada --data 1")).toBe(0);
  await expect(script.text).toMatchFileSnapshot("transcripts/scopes.txt");
});

it("an invocation is described with its scope and its limit key", async () => {
  const args = [
    "send",
    "Counter/add",
    "--key",
    "bob",
    "--scope",
    "acme",
    "--limit-key",
    "gold",
    "--data",
    "1",
    "--json",
  ];
  const { stdout } = await command.run(args, { env });
  const { invocation_id: id } = JSON.parse(stdout) as { readonly invocation_id: string };
  const described = await command.run(["invocations", "describe", id], { env });
  expect(described.stdout).toMatch(/Scope +acme\n/);
  expect(described.stdout).toMatch(/Limit key +gold\n/);
});

it("a scope and a limit key of another form are refused", async () => {
  const script = scribe(command, env);
  expect(await script.run("call Counter/add --key ada --scope 'a b' --data 1")).toBe(1);
  expect(await script.run("call Counter/add --key ada --limit-key gold --data 1")).toBe(1);
  expect(await script.run("state get Counter ada --scope 'a b'")).toBe(1);
  await expect(script.text).toMatchFileSnapshot("transcripts/scope-refusals.txt");
});
