/** The npm package: the files that it contains, and that it runs in a folder that has nothing else. */
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { cp, mkdir, mkdtemp, readFile, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, it } from "vitest";

const ROOT = join(import.meta.dirname, "../../..");
const run = promisify(execFile);

let folder: string;
let packed: readonly string[];

interface Manifest {
  readonly bin: { readonly stepwell: string };
  readonly files: readonly string[];
  readonly dependencies: Readonly<Record<string, string>>;
}
let manifest: Manifest;

/** Builds in a copy: other tests may be using the `dist` of the checkout. */
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "stepwell-package-"));
  const source = join(folder, "source");
  await mkdir(source);
  manifest = JSON.parse(await readFile(join(ROOT, "package.json"), "utf8")) as Manifest;
  const kept = [
    "package.json",
    "README.md",
    "LICENSE",
    "docs",
    "examples",
    ...manifest.files.filter((path) => !/[/*]/.test(path)),
  ];
  for (const path of kept) await cp(join(ROOT, path), join(source, path), { recursive: true });
  await run(process.execPath, [join(ROOT, "build.mjs"), join(source, "dist")]);
  const { stdout } = await run("npm", ["pack", "--json", "--ignore-scripts"], { cwd: source });
  const [tarball] = JSON.parse(stdout) as [{ filename: string; files: { path: string }[] }];
  packed = tarball.files.map(({ path }) => path).toSorted();
  const modules = join(folder, "empty/node_modules");
  await mkdir(join(modules, "stepwell"), { recursive: true });
  await run("tar", ["-xzf", join(source, tarball.filename), "-C", join(modules, "stepwell"), "--strip-components=1"]);
  for (const name of Object.keys(manifest.dependencies)) {
    await mkdir(dirname(join(modules, name)), { recursive: true });
    await symlink(join(ROOT, "node_modules", name), join(modules, name));
  }
}, 60_000);

afterAll(() => rm(folder, { recursive: true, force: true }));

const installed = (path: string): string => join(folder, "empty/node_modules/stepwell", path);

it("holds the command, its documentation and its templates, and nothing else", async () => {
  const shapes = packed.map((path) => path.replace(/-[A-Z0-9]{8}\.js/, "-HASH.js"));
  await expect(`${[...new Set(shapes)].join("\n")}\n`).toMatchFileSnapshot("transcripts/package-files.txt");
});

it("runs `stepwell dev` with nothing but itself and the dependencies that it declares", async () => {
  const args = ["dev", "--ingress-port", "0", "--admin-port", "0", "--json"];
  const child = spawn(process.execPath, [installed(manifest.bin.stepwell), ...args], { cwd: join(folder, "empty") });
  let log = "";
  const ready = new Promise<string>((resolve, reject) => {
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      log += text;
      const line = log.split("\n").find((one) => one.includes('"event":"process.started"'));
      if (line !== undefined) resolve(line);
    });
    child.once("exit", () => reject(new Error(`it ended by itself: ${log}`)));
  });
  const { admin, ingress } = JSON.parse(await ready) as { admin: string; ingress: string };
  expect((await fetch(`${ingress}restate/health`)).status).toBe(200);
  const env = { ...process.env, STEPWELL_ADMIN_URL: admin };
  const listed = await run(process.execPath, [installed(manifest.bin.stepwell), "svc", "ls", "--json"], { env });
  expect(JSON.parse(listed.stdout)).toEqual({ services: [] });
  const ended = once(child, "exit");
  child.kill("SIGINT");
  expect(await ended).toEqual([0, null]);
});

it("writes each template from the package", async () => {
  for (const template of ["greeter", "saga", "object", "workflow"]) {
    await run(process.execPath, [installed(manifest.bin.stepwell), "example", template], { cwd: folder });
    const written = JSON.parse(await readFile(join(folder, template, "package.json"), "utf8")) as { name: string };
    expect(written.name).toBe(template);
    expect(await readFile(join(folder, template, ".gitignore"), "utf8")).toContain("node_modules/");
  }
});
