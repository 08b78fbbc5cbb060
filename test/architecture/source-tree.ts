/** Reads the repository from disk for the architecture check: every path that belongs to it, and the text of its sources. */
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";

/** Maps the path of a file (with `/`, relative to the root) to its text. Folders have no entries. */
export type SourceTree = ReadonlyMap<string, string>;

export const ROOT = join(import.meta.dirname, "../..");

/** The folders that `.gitignore` names, and git's own folder, are not part of the repository. */
function ignoredNames(root: string): ReadonlySet<string> {
  const lines = readFileSync(join(root, ".gitignore"), "utf8").split("\n");
  return new Set([".git", ...lines.filter((line) => line.endsWith("/")).map((line) => line.slice(0, -1))]);
}

export function readSourceTree(root: string): SourceTree {
  const tree = new Map<string, string>();
  const ignored = ignoredNames(root);
  const walk = (folder: string): void => {
    for (const entry of readdirSync(join(root, folder), { withFileTypes: true })) {
      const path = folder === "" ? entry.name : `${folder}/${entry.name}`;
      if (ignored.has(entry.name) || entry.name.endsWith(".log")) continue;
      if (entry.isDirectory()) walk(path);
      else tree.set(path, readFileSync(join(root, path), "utf8"));
    }
  };
  walk("");
  return tree;
}
