/** Bundles the stepwell command as it is shipped: once for a run of `test:processes`, for all of its files. */
import { mkdtemp, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { build } from "esbuild";
import type { TestProject } from "vitest/node";
import { builtInTexts } from "../../../infra/build/built-in-texts.mjs";

const ROOT = join(import.meta.dirname, "../../..");

declare module "vitest" {
  export interface ProvidedContext {
    /** The program that this run has bundled; absent in suites that do not bundle it for all their files. */
    readonly commandPath?: string;
  }
}

export interface BundledCommand {
  /** The path of the program. The folder above `dist` also has links to the packages and the examples. */
  readonly path: string;
  remove(): Promise<void>;
}

export async function bundleCommand(): Promise<BundledCommand> {
  const folder = await mkdtemp(join(tmpdir(), "stepwell-command-"));
  for (const name of ["node_modules", "examples"]) await symlink(join(ROOT, name), join(folder, name));
  await build({
    define: await builtInTexts(),
    bundle: true,
    platform: "node",
    target: "node20.19",
    format: "esm",
    packages: "external",
    splitting: true,
    absWorkingDir: ROOT,
    entryPoints: [{ in: "functions/cli/stepwell.ts", out: "stepwell" }],
    outdir: join(folder, "dist"),
    logLevel: "error",
  });
  return { path: join(folder, "dist/stepwell.js"), remove: () => rm(folder, { recursive: true, force: true }) };
}

/** Vitest calls this once, before the first file of the project. @returns what vitest calls after the last file */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const { path, remove } = await bundleCommand();
  project.provide("commandPath", path);
  return remove;
}
