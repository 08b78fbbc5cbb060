/** `stepwell ui`: which address it opens, and what it says if nothing can be opened. */
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { buildCommand, type BuiltCommand } from "../../harness/cli/built-command.ts";
import { openLocalStage, type LocalStage } from "../../harness/local/local-stage.ts";
import { fetch } from "../../harness/local/admin-access.ts";

let command: BuiltCommand;
let stage: LocalStage;
beforeAll(async () => {
  [command, stage] = await Promise.all([buildCommand(), openLocalStage({ services: [] })]);
});
afterAll(async () => {
  await command.remove();
  await stage.close();
});

/** A program in the place of the browser. It writes its first argument to a file, and ends with the given code. */
function browser(exitCode: number) {
  const folder = mkdtempSync(join(tmpdir(), "stepwell-ui-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const [path, opened] = [join(folder, "browser"), join(folder, "opened")];
  writeFileSync(path, `#!/bin/sh\nprintf %s "$1" > ${opened}\nexit ${exitCode}\n`);
  chmodSync(path, 0o755);
  return { path, opened: () => (existsSync(opened) ? readFileSync(opened, "utf8") : undefined) };
}

const base = (): string => stage.adminUri.replace(/\/$/, "");
/** The address with a code that opens one session. */
const signIn = (more: string): RegExp => new RegExp(`^${base()}/-/sign-in\\?code=[\\w-]{43}${more}\n$`);
const env = (more: Readonly<Record<string, string>> = {}) => ({ STEPWELL_ADMIN_URL: stage.adminUri, ...more });

test("the browser gets the address, and the terminal too", async () => {
  const { path, opened } = browser(0);
  const ran = await command.run(["ui"], { env: env({ BROWSER: path }) });
  expect(ran).toMatchObject({ code: 0, stderr: "" });
  expect(ran.stdout).toMatch(signIn(""));
  expect(`${opened()}\n`).toBe(ran.stdout);
});

test("an id leads to its page", async () => {
  const { path, opened } = browser(0);
  expect((await command.run(["ui", "inv_1abc"], { env: env({ BROWSER: path }) })).code).toBe(0);
  expect(`${opened()}\n`).toMatch(signIn("&to=/invocations/inv_1abc"));
  const page = await fetch(opened()!);
  expect(await page.text()).toMatch(/url=\.\.\/ui\/#key=[\w-]{43}\/invocations\/inv_1abc"/);
  const json = await command.run(["ui", "dp_1abc", "--print", "--json"], { env: env() });
  const { url, opened: isOpened } = JSON.parse(json.stdout) as { url: string; opened: boolean };
  expect(`${url}\n`).toMatch(signIn("&to=/deployments/dp_1abc"));
  expect(isOpened).toBe(false);
});

test("a text that is no id is refused before anything opens", async () => {
  const { path, opened } = browser(0);
  const ran = await command.run(["ui", "https://example.com"], { env: env({ BROWSER: path }) });
  expect(ran).toMatchObject({ code: 2, stdout: "" });
  expect(ran.stderr).toContain("Such ids begin with inv_ or dp_.");
  expect(opened()).toBeUndefined();
});

test("without a browser the address is printed, and the command says what to do", async () => {
  for (const BROWSER of [browser(3).path, "/nowhere/browser"]) {
    const ran = await command.run(["ui"], { env: env({ BROWSER }) });
    expect(ran.code).toBe(0);
    expect(ran.stdout).toMatch(signIn(""));
    expect(ran.stderr).toContain("No browser could be started here");
  }
});

test("a server that does not answer is an error, and no browser opens", async () => {
  const { path, opened } = browser(0);
  const ran = await command.run(["ui"], { env: env({ BROWSER: path, STEPWELL_ADMIN_URL: "http://127.0.0.1:1/" }) });
  expect(ran.code).toBe(3);
  expect(opened()).toBeUndefined();
});

test("a server that wants no token gets no code, and its page opens at once", async () => {
  const open = await openLocalStage({ flags: { "admin.auth": "off" } });
  onTestFinished(() => open.close());
  const ran = await command.run(["ui", "inv_1abc", "--print", "--admin-url", open.adminUri]);
  expect(ran).toEqual({ code: 0, stdout: `${open.adminUri}/ui/#/invocations/inv_1abc\n`, stderr: "" });
});

test("without the token the command says where it is", async () => {
  const ran = await command.run(["ui", "--print"], { env: env({ STEPWELL_AUTH_TOKEN: "x".repeat(43) }) });
  expect(ran).toMatchObject({ code: 1, stdout: "" });
  expect(ran.stderr).toContain("META0018");
  expect(ran.stderr).toContain(join(stage.dataDir, "admin-token"));
});
