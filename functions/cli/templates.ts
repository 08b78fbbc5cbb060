/** The templates of `stepwell example`, and where the package keeps their files. */
import { cp, mkdir, readFile, readdir, rename, writeFile } from "node:fs/promises";
import { existsSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

/** It brings the files that every template has; the others replace its services and its README. */
const WHOLE = "greeter";

export const TEMPLATES: Readonly<Record<string, string>> = {
  greeter: "a service with a recorded step and a durable sleep",
  saga: "a service that gives back what it has booked where a later step fails",
  object: "a virtual object: a counter for each key, whose additions never overlap",
  workflow: "a workflow that waits for a confirmation and can be asked meanwhile",
};

/** @returns whether there is nothing at this place yet, or an empty folder */
export async function isFree(folder: string): Promise<boolean> {
  return !existsSync(folder) || (await readdir(folder)).length === 0;
}

/** @param name of `TEMPLATES` @param folder of `isFree`; its name becomes the name of the package */
export async function writeTemplate(name: string, folder: string): Promise<void> {
  const templates = templatesFolder();
  await mkdir(folder, { recursive: true });
  for (const part of new Set([WHOLE, name])) await cp(join(templates, part), folder, { recursive: true });
  // Packers leave files of this name out of a package.
  await rename(join(folder, "gitignore"), join(folder, ".gitignore"));
  const manifest = join(folder, "package.json");
  const written = JSON.parse(await readFile(manifest, "utf8")) as object;
  const packageName = basename(folder)
    .toLowerCase()
    .replaceAll(/[^a-z0-9-]+/g, "-");
  await writeFile(manifest, `${JSON.stringify({ ...written, name: packageName }, null, 2)}\n`);
}

/** Beside the bundle in the package, and some folders above this file in the checkout. */
function templatesFolder(): string {
  let folder = dirname(fileURLToPath(import.meta.url));
  while (!existsSync(join(folder, "examples/templates"))) {
    if (folder === dirname(folder)) throw new Error("The templates are not where the command expects them");
    folder = dirname(folder);
  }
  return join(folder, "examples/templates");
}
