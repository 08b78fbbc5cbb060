/** `stepwell example` prints a line that starts the control plane. The line works in another terminal of the same machine. */
import { mkdir, mkdtemp, realpath, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { buildCommand, type BuiltCommand } from "../../harness/cli/built-command.ts";

const NODE = dirname(process.execPath);
let command: BuiltCommand;
let folder: string;

beforeAll(async () => {
  [command, folder] = await Promise.all([buildCommand(), mkdtemp(join(tmpdir(), "stepwell-start-"))]);
});
afterAll(() => Promise.all([command.remove(), rm(folder, { recursive: true, force: true })]));

/** A folder with a link named `stepwell`, as an installation makes it. */
async function withLink(place: string, target: string): Promise<string> {
  const bin = join(folder, place);
  await mkdir(bin, { recursive: true });
  await symlink(target, join(bin, "stepwell"));
  return bin;
}

async function printedStart(name: string, path: readonly string[]): Promise<string | undefined> {
  const env = { PATH: [...path, NODE].join(delimiter) };
  const { stdout } = await command.run(["example", "object", name], { cwd: folder, env });
  return stdout.split("\n").find((line) => line.includes("dev --register"));
}

test("the line has the bare name of a command that is installed globally", async () => {
  const bin = await withLink("global", command.path);
  expect(await printedStart("one", [bin])).toBe("  stepwell dev --register http://localhost:9080");
});

test("the line has the path of a command that is not installed globally: npm adds its folders to the PATH of this process only", async () => {
  const npm = await withLink("app/node_modules/.bin", command.path);
  const program = await realpath(command.path);
  const expected = `  node ${program} dev --register http://localhost:9080`;
  expect(await printedStart("two", [])).toBe(expected);
  expect(await printedStart("three", [npm])).toBe(expected);
});

test("the line has npx where npx finds the command from the folder of the project", async () => {
  await withLink("shop/node_modules/.bin", command.path);
  expect(await printedStart("shop/below/four", [])).toBe("  npx stepwell dev --register http://localhost:9080");
});

test("the line has the path where npx would find another program of this name first", async () => {
  await withLink("shadowed/node_modules/.bin", command.path);
  await withLink("shadowed/nearer/node_modules/.bin", process.execPath);
  expect(await printedStart("shadowed/nearer/five", [])).toMatch(/^ {2}node \/.+ dev --register/);
});

test("the line has the path if the bare name starts another program", async () => {
  const bin = await withLink("other", process.execPath);
  expect(await printedStart("six", [bin])).toMatch(/^ {2}node \/.+ dev --register http:\/\/localhost:9080$/);
});

test("a folder with a space is quoted", async () => {
  const { stdout } = await command.run(["example", "object", "my project"], { cwd: folder });
  expect(stdout).toContain("\n  cd 'my project'\n");
});
