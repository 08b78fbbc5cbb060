/** The templates of `stepwell example`, and the location of their files. */
import { cp, mkdir, readFile, readdir, rename, writeFile } from "node:fs/promises";
import { existsSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

/** The template with the files that all templates share; the others replace its services and its README. */
const WHOLE = "greeter";

export const TEMPLATES: Readonly<Record<string, string>> = {
  greeter: "a service with a recorded step and a durable sleep",
  saga: "a service that cancels its bookings if a later step fails",
  object: "a virtual object: a counter for each key, whose additions never overlap",
  workflow: "a workflow that waits for a confirmation and answers queries meanwhile",
};

/** @returns true if the path does not exist or is an empty folder */
export async function isFree(folder: string): Promise<boolean> {
  return !existsSync(folder) || (await readdir(folder)).length === 0;
}

/** @param name a key of `TEMPLATES` @param folder passed `isFree`; its name becomes the name of the package */
export async function writeTemplate(name: string, folder: string): Promise<void> {
  const templates = templatesFolder();
  await mkdir(folder, { recursive: true });
  for (const part of new Set([WHOLE, name])) await cp(join(templates, part), folder, { recursive: true });
  // npm pack excludes files named .gitignore, so the template stores the file without the dot.
  await rename(join(folder, "gitignore"), join(folder, ".gitignore"));
  const manifest = join(folder, "package.json");
  const written = JSON.parse(await readFile(manifest, "utf8")) as object;
  const packageName = basename(folder)
    .toLowerCase()
    .replaceAll(/[^a-z0-9-]+/g, "-");
  await writeFile(manifest, `${JSON.stringify({ ...written, name: packageName }, null, 2)}\n`);
}

/** The templates are beside the bundle in the package, and some folders above this file in a checkout. */
function templatesFolder(): string {
  let folder = dirname(fileURLToPath(import.meta.url));
  while (!existsSync(join(folder, "examples/templates"))) {
    if (folder === dirname(folder)) throw new Error("The folder examples/templates is not above this command");
    folder = dirname(folder);
  }
  return join(folder, "examples/templates");
}
