/** Builds each deployment once, in a folder of this user outside of the repository, and again when its sources change. */
import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { cpSync, existsSync, lstatSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir, userInfo } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

const BUILT_WITHIN_MS = 15 * 60_000;
const OUTPUT_MAX_BYTES = 64 * 1024 * 1024;
const SHOWN_CHARACTERS = 4000;
const MARK = ".built-from";

const run = promisify(execFile);

/** @throws Error where another user owns the folder, because its contents are executed */
export function openCache() {
  const { uid } = userInfo();
  const cache = join(tmpdir(), `stepwell-sdks-${uid}`);
  mkdirSync(cache, { recursive: true, mode: 0o700 });
  const found = lstatSync(cache);
  if (!found.isDirectory() || found.uid !== uid) throw new Error(`${cache} belongs to somebody else`);
  return cache;
}

function digestOf(source, tools) {
  const hash = createHash("sha256").update(tools.join("\n"));
  const files = readdirSync(source, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  for (const path of files.map((entry) => join(entry.parentPath, entry.name)).toSorted()) {
    hash.update(`\n${path.slice(source.length)}\n`).update(readFileSync(path));
  }
  return hash.digest("hex");
}

async function runStep([command, ...args], folder, environment) {
  const options = {
    cwd: folder,
    env: { ...process.env, ...environment },
    maxBuffer: OUTPUT_MAX_BYTES,
    timeout: BUILT_WITHIN_MS,
  };
  try {
    await run(command, args, options);
  } catch (error) {
    const printed = `${error.stdout ?? ""}${error.stderr ?? ""}`.slice(-SHOWN_CHARACTERS);
    throw new Error(`${command} ${args.join(" ")} failed (${error.code ?? error.signal})\n${printed}`, {
      cause: error,
    });
  }
}

/**
 * @param tools with their versions: another compiler means another build
 * @returns the folder of the finished deployment
 * @throws Error with the end of the output of the failing command
 */
export async function builtIn(cache, { name, steps, environment, keeps = [] }, tools) {
  const source = join(import.meta.dirname, name);
  const folder = join(cache, name);
  const mark = join(folder, MARK);
  const digest = digestOf(source, tools);
  if (existsSync(mark) && readFileSync(mark, "utf8") === digest) return folder;
  mkdirSync(folder, { recursive: true });
  for (const old of readdirSync(folder)) {
    if (!keeps.includes(old)) rmSync(join(folder, old), { recursive: true });
  }
  cpSync(source, folder, { recursive: true });
  for (const step of steps) await runStep(step, folder, environment);
  writeFileSync(mark, digest);
  return folder;
}
