/** `stepwell ui`: which address it opens, and what it says if nothing can be opened. */
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { buildCommand } from "../../harness/cli/built-command.ts";
import type { BuiltCommand } from "../../harness/cli/built-command.ts";
import { openLocalStage } from "../../harness/local/local-stage.ts";
import type { LocalStage } from "../../harness/local/local-stage.ts";

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
const env = (more: Readonly<Record<string, string>> = {}) => ({ STEPWELL_ADMIN_URL: stage.adminUri, ...more });

test("the browser gets the address, and the terminal too", async () => {
  const { path, opened } = browser(0);
  const ran = await command.run(["ui"], { env: env({ BROWSER: path }) });
  expect(ran).toEqual({ code: 0, stdout: `${base()}/ui/\n`, stderr: "" });
  expect(opened()).toBe(`${base()}/ui/`);
});

test("an id leads to its page", async () => {
  const { path, opened } = browser(0);
  expect((await command.run(["ui", "inv_1abc"], { env: env({ BROWSER: path }) })).code).toBe(0);
  expect(opened()).toBe(`${base()}/ui/#/invocations/inv_1abc`);
  const json = await command.run(["ui", "dp_1abc", "--print", "--json"], { env: env() });
  expect(JSON.parse(json.stdout)).toEqual({ url: `${base()}/ui/#/deployments/dp_1abc`, opened: false });
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
    expect(ran).toMatchObject({ code: 0, stdout: `${base()}/ui/\n` });
    expect(ran.stderr).toContain("No browser could be started here");
  }
});

test("a server that does not answer is an error, and no browser opens", async () => {
  const { path, opened } = browser(0);
  const ran = await command.run(["ui"], { env: env({ BROWSER: path, STEPWELL_ADMIN_URL: "http://127.0.0.1:1/" }) });
  expect(ran.code).toBe(3);
  expect(opened()).toBeUndefined();
});
