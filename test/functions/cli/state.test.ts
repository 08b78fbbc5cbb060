/** The output of `stepwell state` for people, scripts and programs. */
import { object, type ObjectContext } from "@restatedev/restate-sdk";
import { afterAll, beforeAll, expect, it } from "vitest";
import { openLocalStage, type LocalStage } from "../../harness/local/local-stage.ts";
import { buildCommand, type BuiltCommand } from "../../harness/cli/built-command.ts";
import { scribe } from "../../harness/cli/transcript.ts";
import { fetch } from "../../harness/local/admin-access.ts";

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
  env = { STEPWELL_ADMIN_URL: stage.adminUri };
});

afterAll(async () => {
  await command.remove();
  await stage.close();
});

async function add(key: string, by: number): Promise<unknown> {
  const headers = { "content-type": "application/json" };
  const response = await fetch(`${stage.ingressUri}/Counter/${key}/add`, { method: "POST", headers, body: String(by) });
  return response.json();
}

it("the command reads a key's state and changes it after a confirmation, and the handler then reads the new state", async () => {
  const script = scribe(command, env);
  expect(await add("ada", 2)).toBe(2);
  expect(await script.run("state get Counter ada")).toBe(0);
  expect(await script.run("state get Counter ada count")).toBe(0);
  expect(await script.run("state set Counter ada count=40")).toBe(4);
  expect(await add("ada", 1)).toBe(3);
  expect(await script.run("state set Counter ada count=40 'note=by hand' raw=base64:/wA= --yes")).toBe(0);
  expect(await add("ada", 2)).toBe(42);
  expect(await script.run("state get Counter ada --json")).toBe(0);
  expect(await script.run("state set Counter ada count=1 --remove raw --yes")).toBe(0);
  expect(await add("ada", 0)).toBe(1);
  expect(await script.run("state get Counter ada")).toBe(0);
  await expect(script.text).toMatchFileSnapshot("transcripts/state.txt");
});

it("a value keeps its type, a value of another type is refused, and both types can be asked for", async () => {
  const script = scribe(command, env);
  expect(await script.run(`state set Counter typed count=12 name=Ann flag=true 'box={"a":1}' --yes`)).toBe(0);
  expect(await script.run("state set Counter typed count=13 name=42 flag=false 'new=7' --yes")).toBe(0);
  expect(await script.run("state set Counter typed count=abc --yes")).toBe(2);
  expect(await script.run("state set Counter typed box=[1] --yes")).toBe(2);
  expect(await script.run("state get Counter typed --json")).toBe(0);
  expect(await script.run("state set Counter typed count=abc flag=true --as text --yes")).toBe(0);
  expect(await script.run("state set Counter typed name=43 --as json --yes")).toBe(0);
  expect(await script.run("state set Counter typed name=Bob --as json --yes")).toBe(2);
  expect(await script.run("state get Counter typed --json")).toBe(0);
  await expect(script.text).toMatchFileSnapshot("transcripts/state-types.txt");
});

it("control characters in a value do not reach the terminal", async () => {
  expect(await add("mallory", 1)).toBe(1);
  await command.run(["state", "set", "Counter", "mallory", `note="\u009b2J\u0085"`, "--yes"], { env });
  const { stdout } = await command.run(["state", "get", "Counter", "mallory"], { env });
  expect(stdout).toContain('note   "\ufffd2J\ufffd"');
});

it("JSON shows the numbers of a state as they are stored", async () => {
  await command.run(["state", "set", "Counter", "exact", "n=[12345678901234.5678,-0,9007199254740993]", "--yes"], {
    env,
  });
  const { stdout } = await command.run(["state", "get", "Counter", "exact", "--json"], { env });
  expect(stdout.replaceAll(/\s/g, "")).toBe('{"n":[12345678901234.5678,-0,9007199254740993]}');
  const { stdout: one } = await command.run(["state", "get", "Counter", "exact", "n", "--json"], { env });
  expect(one).toBe("[\n  12345678901234.5678,\n  -0,\n  9007199254740993\n]\n");
});

it("every key of a service is cleared, after a question that names the keys", async () => {
  const script = scribe(command, env);
  await command.run(["state", "clear", "Counter", "--yes"], { env });
  expect([await add("alf", 7), await add("a;b", 8)]).toEqual([7, 8]);
  expect(await script.run("state clear Counter")).toBe(4);
  expect(await script.run("state clear Counter --yes")).toBe(0);
  expect([await add("alf", 1), await add("a;b", 1)]).toEqual([1, 1]);
  expect(await script.run("state clear Counter --yes --json")).toBe(0);
  expect(await script.run("state clear Counter --yes")).toBe(0);
  expect(await script.run("state clear Nothing --yes")).toBe(0);
  await expect(script.text).toMatchFileSnapshot("transcripts/state-of-service-cleared.txt");
});

it("a key is cleared, and other keys are not", async () => {
  const script = scribe(command, env);
  expect([await add("bob", 7), await add("eve", 8)]).toEqual([7, 8]);
  expect(await script.run("state clear Counter bob")).toBe(4);
  expect(await script.run("state clear Counter bob --yes")).toBe(0);
  expect([await add("bob", 1), await add("eve", 1)]).toEqual([1, 9]);
  expect(await script.run("state get Counter nobody")).toBe(0);
  expect(await script.run("state get Counter eve nothing")).toBe(1);
  expect(await script.run("state get Nothing bob")).toBe(1);
  expect(await script.run("state set Counter bob count")).toBe(2);
  await expect(script.text).toMatchFileSnapshot("transcripts/state-cleared.txt");
});
