/** The commands find the token of a local server by its data directory, and send it to that server alone. */
import { cp, mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { adminServer } from "../../../functions/cli/http/admin-server.ts";
import { removeDirectory, temporaryDirectory } from "../../contracts/temporary-directory.ts";
import { buildCommand, type BuiltCommand } from "../../harness/cli/built-command.ts";
import { openScriptedServer } from "../../harness/cli/scripted-server.ts";
import { openLocalStage, type LocalStage } from "../../harness/local/local-stage.ts";

let command: BuiltCommand;
let stage: LocalStage;
beforeAll(async () => {
  [command, stage] = await Promise.all([buildCommand(), openLocalStage({ services: [] })]);
});
afterAll(async () => {
  await command.remove();
  await stage.close();
});

async function folder(): Promise<string> {
  const dir = await temporaryDirectory();
  onTestFinished(() => removeDirectory(dir));
  return dir;
}

const url = (): string => `http://localhost:${stage.adminPort}/`;
/** Without the variable that the harness sets for the servers of a test. */
const BARE = { STEPWELL_AUTH_TOKEN: "" };

test("a command finds the token in ./.stepwell, by --data-dir and by the settings of dev", async () => {
  const dir = await folder();
  await mkdir(join(dir, ".stepwell"));
  for (const name of ["admin-token", "admin-url"]) await cp(join(stage.dataDir, name), join(dir, ".stepwell", name));
  const env = { STEPWELL_ADMIN_URL: url(), ...BARE };
  expect(await command.run(["services", "list"], { cwd: dir, env })).toMatchObject({ code: 0 });
  expect(await command.run(["services", "list", "--data-dir", stage.dataDir], { env })).toMatchObject({ code: 0 });
  const settings = { ...env, STEPWELL_DATA_DIR: stage.dataDir };
  expect(await command.run(["services", "list"], { env: settings })).toMatchObject({ code: 0 });
  const lost = await command.run(["services", "list"], { cwd: await folder(), env });
  expect(lost).toMatchObject({ code: 1, stdout: "" });
  expect(lost.stderr).toContain("META0018");
  expect(lost.stderr).toContain("--data-dir");
});

test("the variables of both command lines bring a token", async () => {
  const { adminToken = "" } = stage.local;
  for (const name of ["STEPWELL_AUTH_TOKEN", "RESTATE_AUTH_TOKEN"]) {
    const env = { STEPWELL_ADMIN_URL: url(), ...BARE, [name]: adminToken };
    expect(await command.run(["services", "list"], { cwd: await folder(), env })).toMatchObject({ code: 0 });
  }
});

test("another server, and another port of this machine, never get the token of the directory", async () => {
  const other = await openScriptedServer();
  onTestFinished(other.close);
  other.answer(() => ({ status: 200, body: '{"services":[]}' }));
  const env = { ...other.env, ...BARE, STEPWELL_DATA_DIR: stage.dataDir };
  await command.run(["services", "list"], { env });
  await command.run(["services", "list", "--admin-url", other.url.replace("127.0.0.1", "localhost")], { env });
  expect(other.requests).toHaveLength(2);
  expect(other.requests.map(({ headers }) => headers["authorization"])).toEqual([undefined, undefined]);
});

test.each([
  "https://stepwell.example/",
  "http://stepwell.example:9070/",
  "http://192.0.2.1:9070/",
  "https://127.0.0.1:9070/",
  "http://127.0.0.1:9071/",
  "http://127.0.0.1:9070/stage/",
  "http://[::1]:9071/",
])("%s is no address of the server that has noted http://127.0.0.1:9070/", async (adminUrl) => {
  const dir = await folder();
  await writeFile(join(dir, "admin-token"), "x".repeat(43));
  await writeFile(join(dir, "admin-url"), "http://127.0.0.1:9070/");
  expect(await adminServer({ adminUrl, dataDir: dir }, {})).toEqual({
    base: adminUrl,
    options: "--admin-url or STEPWELL_ADMIN_URL",
  });
  const known = await adminServer({ adminUrl: "http://localhost:9070/", dataDir: dir }, {});
  // Another user may listen on ::1, to which the name may lead as well.
  expect(known).toMatchObject({ base: "http://127.0.0.1:9070/", token: "x".repeat(43) });
});

test("after its stop a server gets no token, since another process may take its port", async () => {
  const other = await openLocalStage({});
  onTestFinished(() => other.close());
  const choice = { adminUrl: `${other.adminUri}/`, dataDir: other.dataDir };
  expect(await adminServer(choice, {})).toHaveProperty("token");
  await other.local.stop();
  expect(await adminServer(choice, {})).not.toHaveProperty("token");
});
