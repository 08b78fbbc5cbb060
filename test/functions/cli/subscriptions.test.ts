/** The output of `stepwell kafka-clusters` and `stepwell subscriptions` for people, scripts and programs. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { service, type Context } from "@restatedev/restate-sdk";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { SubscriptionBody } from "../../../shared/api/contract/topics.ts";
import { buildCommand, type BuiltCommand } from "../../harness/cli/built-command.ts";
import { openLocalStage, type LocalStage } from "../../harness/local/local-stage.ts";

const orders = service({ name: "Orders", handlers: { take: async (_ctx: Context) => undefined } });
const CONFIGURED = '[{"name":"fixed","brokers":["127.0.0.1:1"],"sasl.password":"canary"}]';

let command: BuiltCommand;
let stage: LocalStage;
let env: Readonly<Record<string, string>>;

beforeAll(async () => {
  const flags = { "ingress.kafka-clusters": CONFIGURED, "log.level": "silent" } as const;
  [command, stage] = await Promise.all([buildCommand(), openLocalStage({ services: [orders], flags })]);
  env = { STEPWELL_ADMIN_URL: stage.adminUri };
});

afterAll(async () => {
  await command.remove();
  await stage.close();
});

const run = (...args: readonly string[]) => command.run(args, { env });
const json = async <Body>(...args: readonly string[]): Promise<Body> =>
  JSON.parse((await run(...args, "--json")).stdout) as Body;

it("a cluster is configured from a file, shown without secrets, updated and removed", async () => {
  const file = join(stage.dataDir, "main.properties");
  writeFileSync(file, "# brokers\nbootstrap.servers = 127.0.0.1:1\nsasl.password=canary\n");
  const made = await run("kafka-clusters", "create", "main", "--properties-file", file);
  expect([made.code, made.stdout]).toEqual([0, "Configured main\n"]);
  expect((await run("kafka-clusters", "create", "main", "--properties-file", file)).code).toBe(1);
  const listed = await run("kc", "ls");
  expect(listed.stdout).toMatch(/^main +127\.0\.0\.1:1 +20/m);
  expect(listed.stdout).toMatch(/^fixed +127\.0\.0\.1:1 +in the configuration$/m);
  const shown = await run("kc", "describe", "main");
  expect(shown.stdout).toMatch(/^sasl\.password +\*\*\*$/m);
  expect((await run("kc", "update", "main", "--property", "bootstrap.servers=127.0.0.1:2")).code).toBe(0);
  expect((await run("kc", "delete", "main")).code).toBe(4);
  expect(await run("kc", "delete", "main", "--yes")).toMatchObject({ code: 0, stdout: "Removed main\n" });
  expect(await run("kc", "delete", "main", "--yes")).toMatchObject({ code: 1 });
});

it("a cluster of the configuration cannot be changed, and keeps its secret", async () => {
  for (const args of [
    ["update", "fixed", "--property", "bootstrap.servers=b:1"],
    ["delete", "fixed", "--yes"],
    ["create", "fixed", "--property", "bootstrap.servers=b:1"],
  ])
    expect((await run("kc", ...args)).code).toBe(1);
  const described = await run("kc", "describe", "fixed");
  expect(described.stdout).toMatch(/in the configuration/);
  expect(described.stdout).not.toContain("canary");
});

it("a subscription is created, listed, described, paused, resumed, reset and removed", async () => {
  const made = await json<SubscriptionBody>("subscriptions", "create", "kafka://fixed/orders", "service://Orders/take");
  const { id } = made;
  expect(made.options).toEqual({ "client.id": "stepwell", "group.id": id });
  const listed = await run("sub", "ls");
  expect(listed.stdout).toMatch(
    new RegExp(`^${id} +(?:consuming|failing) +not known +kafka://fixed/orders +service://Orders/take$`, "m"),
  );
  expect(await run("sub", "pause", id)).toMatchObject({ code: 0, stdout: `Paused ${id}\n` });
  expect((await run("sub", "describe", id)).stdout).toMatch(/^Paused +by an operator, 20/m);
  expect((await json<SubscriptionBody>("sub", "describe", id)).status).toBe("paused");
  expect(await run("sub", "resume", id)).toMatchObject({ code: 0, stdout: `Resumed ${id}\n` });
  for (const how of [
    ["--to", "earliest"],
    ["--time", "2026-01-31T10:00:00Z"],
    ["--offset", "0=5", "--offset", "1=6"],
  ])
    expect(await run("sub", "reset", id, ...how, "--yes")).toMatchObject({ code: 0, stdout: `Reset ${id}\n` });
  expect((await run("sub", "reset", id, "--to", "latest")).code).toBe(4);
  expect((await run("kc", "delete", "fixed", "--yes")).code).toBe(1);
  expect((await run("sub", "delete", id)).code).toBe(4);
  expect((await run("sub", "delete", id, "--yes")).stdout).toMatch(new RegExp(`Removed ${id}\n$`));
  expect((await run("sub", "describe", id)).code).toBe(1);
});

it.each([
  ["without a place", ["reset", "sub_1"], 2],
  ["with two places", ["reset", "sub_1", "--to", "latest", "--offset", "0=1"], 2],
  ["with an invalid offset", ["reset", "sub_1", "--offset", "zero"], 2],
  ["with an invalid moment", ["reset", "sub_1", "--time", "soon"], 2],
  ["with an unknown place", ["reset", "sub_1", "--to", "middle"], 2],
  ["of an unknown cluster", ["create", "kafka://none/t", "service://Orders/take"], 1],
  ["to an unknown handler", ["create", "kafka://fixed/t", "service://Orders/none"], 1],
])("a command %s fails with the exit code for this error", async (_what, args, code) => {
  expect((await run("sub", ...args)).code).toBe(code);
});
