/** Tests the npm package: it contains the right files, and it runs in a folder without anything else but its dependencies. */
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { cp, mkdir, mkdtemp, readFile, readdir, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, it } from "vitest";
import { TEMPLATES } from "../../../functions/cli/commands/example-command.ts";
import { missingParts, type PublishedManifest } from "../../../infra/build/published-manifest.mjs";

const ROOT = join(import.meta.dirname, "../../..");
const run = promisify(execFile);

/** The files of the templates that are no npm packages. */
const OTHER_FILES: Readonly<Record<string, readonly string[]>> = {
  python: [".gitignore", "README.md", "requirements.txt", "services.py", "test_services.py"],
  go: [".gitignore", "README.md", "go.mod", "go.sum", "main.go", "main_test.go"],
  java: [".gitignore", "README.md", "pom.xml", "src"],
};

let folder: string;
let tarball: string;
let packed: readonly string[];

let manifest: PublishedManifest;

/** Makes the package in a folder of its own: other tests may be using the `dist` of the checkout. */
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "stepwell-package-"));
  const { stdout } = await run(process.execPath, [join(ROOT, "infra/build/package.mjs"), folder], { cwd: folder });
  tarball = join(folder, stdout.trim());
  const list = await run("tar", ["-tzf", tarball]);
  packed = list.stdout
    .trim()
    .split("\n")
    .map((path) => path.replace("package/", ""))
    .toSorted();
  const modules = join(folder, "empty/node_modules");
  await mkdir(join(modules, "stepwell"), { recursive: true });
  await run("tar", ["-xzf", tarball, "-C", join(modules, "stepwell"), "--strip-components=1"]);
  manifest = JSON.parse(await readFile(installed("package.json"), "utf8")) as PublishedManifest;
  for (const name of Object.keys(manifest.dependencies)) {
    await mkdir(dirname(join(modules, name)), { recursive: true });
    await symlink(join(ROOT, "node_modules", name), join(modules, name));
  }
});

afterAll(() => rm(folder, { recursive: true, force: true }));

const installed = (path: string): string => join(folder, "empty/node_modules/stepwell", path);

it("holds the command, the constructs, the documentation and the templates, and nothing else", async () => {
  const shapes = packed.map((path) =>
    path.replace(/-[A-Z0-9]{8}\.js/, "-HASH.js").replace(/(?<=declarations\/)(?:infra|shared)\/.+/, "FILE"),
  );
  await expect(`${[...new Set(shapes)].join("\n")}\n`).toMatchFileSnapshot("transcripts/package-files.txt");
});

it("has a version, every file that its manifest promises, and no manifest field that serves only the repository", () => {
  expect(tarball).toBe(join(folder, `stepwell-${manifest.version}.tgz`));
  expect(missingParts(manifest, packed)).toEqual([]);
  for (const field of ["private", "config", "scripts", "devDependencies"]) expect(manifest).not.toHaveProperty(field);
});

it.each([
  ["dist/stepwell.js", ["dist/stepwell.js"]],
  ["dist/cdk/index.d.ts", ["dist/cdk/index.d.ts"]],
  ["docs/errors.md", ["docs/errors.md"]],
])("the build refuses a package without %s", (path, missing) => {
  const others = packed.filter((one) => one !== path);
  expect(missingParts(manifest, others)).toEqual(missing);
});

it("the build refuses a package without its templates", () => {
  const others = packed.filter((one) => !one.startsWith("examples/"));
  expect(missingParts(manifest, others)).toEqual(["examples/templates"]);
});

it.each(["true", "false"])("is not made by `npm pack` in the repository, with ignore-scripts %s", async (ignored) => {
  const source = join(folder, `source-${ignored}`);
  await mkdir(source);
  for (const path of ["package.json", "README.md", "LICENSE", "docs"])
    await cp(join(ROOT, path), join(source, path), { recursive: true });
  await expect(run("npm", ["pack", `--ignore-scripts=${ignored}`], { cwd: source })).rejects.toMatchObject({
    code: 1,
    stderr: expect.stringContaining("must have name and version") as unknown,
  });
  expect(await readdir(source)).not.toContainEqual(expect.stringMatching(/\.tgz$/));
});

it("runs `stepwell dev` with nothing but itself and the dependencies that it declares", async () => {
  const args = ["dev", "--ingress-port", "0", "--admin-port", "0", "--no-register", "--json"];
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
  const listed = await run(process.execPath, [installed(manifest.bin.stepwell), "svc", "ls", "--json"], {
    env,
    cwd: join(folder, "empty"),
  });
  expect(JSON.parse(listed.stdout)).toEqual({ services: [] });
  const ended = once(child, "exit");
  child.kill("SIGINT");
  expect(await ended).toEqual([0, null]);
});

it("writes each template from the package", async () => {
  for (const template of Object.keys(TEMPLATES)) {
    await run(process.execPath, [installed(manifest.bin.stepwell), "example", template], { cwd: folder });
    expect(await readFile(join(folder, template, ".gitignore"), "utf8")).toContain(".stepwell/");
    expect(await readFile(join(folder, template, "README.md"), "utf8")).toMatch(new RegExp(`^# ${template}\n`));
    if (template in OTHER_FILES) {
      expect((await readdir(join(folder, template))).toSorted()).toEqual(OTHER_FILES[template]);
      continue;
    }
    const written = JSON.parse(await readFile(join(folder, template, "package.json"), "utf8")) as { name: string };
    expect(written.name).toBe(template);
    expect(await readFile(join(folder, template, ".gitignore"), "utf8")).toContain("node_modules/");
  }
});
