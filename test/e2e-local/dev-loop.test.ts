/** `npm run dev` in a copy of the sources: a save builds and starts again, the data stay, and a broken build stops nothing. */
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { cpSync, mkdtempSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { ROOT } from "../architecture/source-tree.ts";
import { until } from "../running-processes.ts";

const PARTS = ["shared", "functions", "ui", "infra/build", "docs/prices.json", "package.json", "dev.mjs"];
const EXAMPLES = ["examples/greeter", "examples/polyfill.mjs", "examples/start-options.mjs"];
const HANDLER = "examples/greeter/greeter.ts";

const root = mkdtempSync(join(tmpdir(), "stepwell-dev-"));
let dev: ChildProcess;
let printed = "";
let ingress = 0;
let admin = 0;

beforeAll(async () => {
  for (const part of [...PARTS, ...EXAMPLES]) cpSync(join(ROOT, part), join(root, part), { recursive: true });
  symlinkSync(join(ROOT, "node_modules"), join(root, "node_modules"));
  dev = start("--ingress-port", "0", "--admin-port", "0", "--handlers-port", "0");
  await until(() => printed.includes("Started: ready after"));
  admin = Number(/localhost:(\d+)\/ui\//.exec(printed)![1]);
  ingress = Number(/curl localhost:(\d+)\//.exec(printed)![1]);
});

afterAll(async () => {
  await ended(dev);
  rmSync(root, { recursive: true, force: true });
});

function start(...args: readonly string[]): ChildProcess {
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith("STEPWELL_")));
  const child = spawn(process.execPath, ["dev.mjs", ...args], { cwd: root, env, stdio: ["ignore", "pipe", "pipe"] });
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (text: string) => (printed += text));
  return child;
}

async function ended(child: ChildProcess): Promise<void> {
  const end = once(child, "exit");
  child.kill("SIGTERM");
  await end;
}

/** Edits as many editors do: the new file replaces the old one. */
function edit(path: string, change: (text: string) => string): void {
  writeFileSync(join(root, `${path}.new`), change(readFileSync(join(root, path), "utf8")));
  renameSync(join(root, `${path}.new`), join(root, path));
}

async function saved(path: string, change: (text: string) => string): Promise<void> {
  const before = printed.length;
  edit(path, change);
  await until(() => printed.slice(before).includes(": ready after"));
}

async function greeting(key?: string): Promise<string> {
  const headers = { "content-type": "application/json", ...(key !== undefined && { "idempotency-key": key }) };
  const request = { method: "POST", headers, body: '"Ada"' };
  const answer = await fetch(`http://127.0.0.1:${ingress}/greeter/greet`, request).catch(() => undefined);
  return answer?.ok === true ? ((await answer.json()) as string) : "";
}

test("a saved handler runs, and what was stored before is still there", async () => {
  await until(async () => (await greeting("first")) !== "");
  const first = await greeting("first");
  await saved(HANDLER, (text) => text.replace(/const GREETINGS = .+/, 'const GREETINGS = ["Saved"];'));
  await until(async () => (await greeting()) === "Saved, Ada!");
  expect(await greeting("first")).toBe(first);
});

test("a saved page of the web UI is served", async () => {
  await saved("ui/index.html", (text) => text.replace("<title>", "<title>Edited "));
  expect(await (await fetch(`http://127.0.0.1:${admin}/ui/`)).text()).toContain("<title>Edited ");
});

test("a source that does not build is shown, the processes go on, and the next save builds again", async () => {
  const path = "shared/core/model/ids.ts";
  const before = printed.length;
  edit(path, (text) => `${text}const broken = ;\n`);
  await until(() => printed.slice(before).includes("The processes of the build before go on."));
  expect(printed.slice(before)).toContain(path);
  expect(await greeting()).toBe("Saved, Ada!");
  await saved(path, (text) => text.replace("const broken = ;\n", ""));
  await until(async () => (await greeting()) !== "");
});

test("a control plane that ends at its start is named, and the next save starts it again", async () => {
  const path = "functions/local/dev.ts";
  const before = printed.length;
  edit(path, (text) => `${text}throw new Error("ends at once");\n`);
  await until(() => printed.slice(before).includes("The control plane ended by itself"));
  await saved(path, (text) => text.replace('throw new Error("ends at once");\n', ""));
  await until(async () => (await greeting()) !== "");
});

test("a taken port is named with a command that uses free ones", async () => {
  const before = printed.length;
  const second = start("--ingress-port", String(ingress), "--admin-port", "0", "--handlers-port", "0");
  const [code] = (await once(second, "exit")) as [number];
  expect(code).toBe(1);
  expect(printed.slice(before)).toContain(`Port ${ingress}, meant for calls, cannot be used (EADDRINUSE).`);
  expect(printed.slice(before)).toMatch(/npm run dev -- --ingress-port \d+/);
});
