/** Makes the npm package: builds all its parts into one folder, packs the folder, and checks the tarball. */
import { spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import { missingParts, publishedManifest } from "./published-manifest.mjs";

const ROOT = join(import.meta.dirname, "../..");
const TARGET = resolve(process.argv[2] ?? join(ROOT, "dist"));
const STAGE = join(TARGET, "package");
/** npm always packs these files, so `files` in package.json does not name them. */
const ALWAYS_PACKED = ["README.md", "LICENSE"];

/** @throws Error with the output of the program */
function run(command, args) {
  const { status, error, stdout } = spawnSync(command, args, {
    cwd: ROOT,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "inherit"],
  });
  if (status !== 0) throw new Error(`${command} ${args.join(" ")} failed: ${error?.message ?? stdout}`);
  return stdout;
}

function stage(manifest) {
  rmSync(STAGE, { recursive: true, force: true });
  mkdirSync(STAGE, { recursive: true });
  run(process.execPath, [join(ROOT, "build.mjs"), join(STAGE, "dist")]);
  run(process.execPath, [join(ROOT, "infra/build/pack.mjs"), join(STAGE, "dist/cdk")]);
  for (const path of [...ALWAYS_PACKED, ...manifest.files.filter((one) => !one.startsWith("dist/"))]) {
    cpSync(join(ROOT, path), join(STAGE, path), { recursive: true });
  }
  writeFileSync(join(STAGE, "package.json"), `${JSON.stringify(manifest, null, 2)}\n`);
}

/** The folder already has all parts, so npm runs no scripts. @returns the path of the tarball */
function pack(manifest) {
  const args = ["pack", STAGE, "--json", "--ignore-scripts", "--pack-destination", TARGET];
  const [{ filename, files }] = JSON.parse(run("npm", args));
  const missing = missingParts(
    manifest,
    files.map(({ path }) => path),
  );
  if (missing.length === 0) return join(TARGET, filename);
  rmSync(join(TARGET, filename), { force: true });
  throw new Error(`The package lacks ${missing.join(", ")}`);
}

if (existsSync(join(ROOT, "node_modules/esbuild"))) {
  const manifest = publishedManifest(JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")));
  stage(manifest);
  console.log(relative(process.cwd(), pack(manifest)));
} else {
  console.error("The packages of this repository are missing, and the build needs them. Run `npm ci` first.");
  process.exitCode = 1;
}
