/** Checks the container file and the list of files for its builder; no image is built. */
import { cpSync, existsSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { once } from "node:events";
import { spawn } from "node:child_process";
import type { AddressInfo } from "node:net";
import { basename, join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { readSettings } from "../../shared/config/settings.ts";
import { SETTINGS } from "../../shared/config/settings-table.ts";
import { removeDirectory, temporaryDirectory } from "../contracts/temporary-directory.ts";
import { readContainerFile, wordsOf } from "./container-file.ts";

const ROOT = new URL("../../", import.meta.url);
const read = (path: string): string => readFileSync(new URL(path, ROOT), "utf8");
const stages = readContainerFile(read("Dockerfile"));
const [build, run] = [stages[0]!, stages[1]!];
/** The lines in their order: if several match a file, the last one decides. */
const ignored = read(".dockerignore")
  .split("\n")
  .filter((line) => line !== "" && !line.startsWith("#"));

const DEFAULTS = "functions/local/image-defaults.toml";

const SECRETS = /(^|\/)(\.env|\.npmrc|\.aws|\.git|.*\.pem|.*\.key|\.stepwell|\.cache)/;

test("one stage builds and another runs, without the tools, on the same Node", () => {
  expect(stages).toHaveLength(2);
  expect(run.base).toBe(build.base);
  expect(Number(/^node:(\d+)/.exec(run.base)?.[1])).toBeGreaterThanOrEqual(20);
  expect(wordsOf(build, "RUN").join("\n")).toMatch(/npm prune --omit=dev/);
  expect(wordsOf(run, "RUN").join("\n")).not.toMatch(/npm|apt/);
});

test("an image for others can be built from a digest, for both stages by one argument", () => {
  expect(read("Dockerfile").match(/^FROM .*$/gm)).toEqual(["FROM ${NODE_IMAGE} AS build", "FROM ${NODE_IMAGE}"]);
  expect(read("SECURITY.md")).toContain(`--build-arg NODE_IMAGE=${run.base}@sha256:<digest>`);
});

test("three ports are published, and the first two are the defaults of the settings", () => {
  expect(wordsOf(run, "EXPOSE")).toEqual(["8080 9070 9071"]);
  expect([SETTINGS["ingress.port"].fallback, SETTINGS["admin.port"].fallback]).toEqual([8080, 9070]);
});

test("the image runs as an unprivileged user, and its data is on a volume", () => {
  const names = run.instructions.map(({ name }) => name);
  expect(wordsOf(run, "USER")).toEqual(["node"]);
  expect(names.lastIndexOf("RUN")).toBeLessThan(names.indexOf("USER"));
  expect(wordsOf(run, "VOLUME")).toEqual(["/data"]);
  expect(wordsOf(run, "RUN")).toEqual(["mkdir -m 700 /data && chown node:node /data"]);
});

test("the image sets only NODE_ENV and two paths as variables, and has its defaults in a file that users can override", () => {
  const [words = ""] = wordsOf(run, "ENV");
  const variables = Object.fromEntries(words.split(/\s+/).map((pair) => pair.split("=") as [string, string]));
  expect(variables).toEqual({
    NODE_ENV: "production",
    STEPWELL_DEFAULTS_FILE: "/app/image-defaults.toml",
    STEPWELL_ADMIN_URL_FILE: "/data/admin-url",
  });
  expect(wordsOf(run, "WORKDIR")).toEqual(["/app"]);
  expect(wordsOf(run, "COPY")).toContain(`--from=build /build/${DEFAULTS} image-defaults.toml`);
});

test("the defaults of the image keep the data on the volume, and bind every address", () => {
  const { settings, warnings } = inImage({});
  expect(settings).toMatchObject({
    "data-dir": "/data",
    "ingress.bind": "0.0.0.0",
    "admin.bind": "0.0.0.0",
    "log.format": "json",
  });
  expect(warnings).toEqual([]);
});

test.each<readonly [Readonly<Record<string, string>>, object]>([
  [{ RESTATE_BASE_DIR: "/restate-data" }, { "data-dir": "/restate-data" }],
  [{ STEPWELL_DATA_DIR: "/mine" }, { "data-dir": "/mine" }],
  [{ RESTATE_ADMIN__BIND_ADDRESS: "127.0.0.1:9999" }, { "admin.bind": "127.0.0.1", "admin.port": 9999 }],
  [{ RESTATE_INGRESS__BIND_PORT: "81" }, { "ingress.bind": "0.0.0.0", "ingress.port": 81, "data-dir": "/data" }],
  [{ RESTATE_LOG_FORMAT: "pretty" }, { "log.format": "pretty", "data-dir": "/data" }],
])("in the image, the variables %j give %j without a warning", (environment, expected) => {
  const { settings, warnings } = inImage(environment);
  expect(settings).toMatchObject(expected);
  expect(warnings).toEqual([]);
});

function inImage(environment: Readonly<Record<string, string>>) {
  return readSettings({ defaults: { path: DEFAULTS, text: read(DEFAULTS) }, environment, flags: {} });
}

test("only existing files are copied, and none that may contain a secret", () => {
  for (const stage of stages) {
    expect(wordsOf(stage, "ADD")).toEqual([]);
    for (const words of wordsOf(stage, "COPY")) {
      const sources = words.split(" ").slice(0, -1);
      if (sources[0]!.startsWith("--from=")) continue;
      for (const source of sources) {
        expect(source).not.toMatch(SECRETS);
        expect(source).not.toMatch(/^[./*]+$/);
        expect(existsSync(new URL(source, ROOT)), source).toBe(true);
        expect(ignored, `the builder gets ${source}`).toContain(`!${source}`);
      }
    }
  }
});

test("the build succeeds with the files that are copied", async () => {
  const folder = await temporaryDirectory();
  onTestFinished(() => removeDirectory(folder));
  for (const words of wordsOf(build, "COPY")) {
    const [target, ...sources] = words.split(" ").toReversed() as [string, ...string[]];
    for (const source of sources) {
      const to = target.endsWith("/") ? `${target}${basename(source)}` : target;
      cpSync(new URL(source, ROOT), join(folder, to), { recursive: true });
    }
  }
  symlinkSync(new URL("node_modules", ROOT), join(folder, "node_modules"));
  const child = spawn(process.execPath, ["build.mjs"], { cwd: folder, stdio: "ignore" });
  expect(await once(child, "exit")).toEqual([0, null]);
  expect(existsSync(join(folder, "dist/stepwell.js"))).toBe(true);
});

test("the builder gets only the listed files", () => {
  expect(ignored[0]).toBe("*");
  const admitted = ignored.filter((line) => line.startsWith("!"));
  expect(admitted.filter((line) => SECRETS.test(line.slice(1)))).toEqual([]);
  for (const secret of ["**/.env*", "**/.npmrc", "**/*.pem", "**/.stepwell", "**/node_modules"]) {
    expect(ignored.lastIndexOf(secret)).toBeGreaterThan(ignored.lastIndexOf(admitted.at(-1)!));
  }
});

test("no install script runs during the build", () => {
  const npm = wordsOf(build, "RUN").flatMap((words) => words.split("&&").filter((one) => one.includes("npm ")));
  expect(npm).toHaveLength(2);
  expect(npm.filter((one) => !one.includes("--ignore-scripts"))).toEqual([]);
});

test.each([
  [200, 0],
  [503, 1],
])("the health check of a process that answers %i ends with code %i", async (status, code) => {
  const server = createServer(({ url }, response) => response.writeHead(url === "/ready" ? status : 404).end());
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  expect(await healthCode(port)).toBe(code);
  server.close();
});

test("the health check without a listener fails", async () => {
  expect(await healthCode(1)).toBe(1);
});

test("the health check fails before the process has written its address", async () => {
  const dir = await temporaryDirectory();
  onTestFinished(() => removeDirectory(dir));
  expect(await checkCode(join(dir, "admin-url"))).toBe(1);
});

/** Runs the health check with this port of 127.0.0.1 as the admin address. */
async function healthCode(port: number): Promise<number> {
  const dir = await temporaryDirectory();
  onTestFinished(() => removeDirectory(dir));
  const path = join(dir, "admin-url");
  writeFileSync(path, `http://127.0.0.1:${port}/`);
  return await checkCode(path);
}

/** Runs the script of the container file's HEALTHCHECK unchanged. @returns the exit code */
async function checkCode(adminUrlFile: string): Promise<number> {
  const [words = ""] = wordsOf(run, "HEALTHCHECK");
  const [node, ...args] = JSON.parse(words.slice(words.indexOf("["))) as string[];
  expect(node).toBe("node");
  const env = { ...process.env, STEPWELL_ADMIN_URL_FILE: adminUrlFile };
  const child = spawn(process.execPath, args, { stdio: "ignore", env });
  const [code] = (await once(child, "exit")) as [number];
  return code;
}
