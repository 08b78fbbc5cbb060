/** Finds a command of the README: the first line of the only `sh` block that runs `npm <script>`. As a program, it prints that line. */
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

/** @returns the first lines of the blocks of the page in this language */
export function firstLines(readme, language) {
  const blocks = [...readme.matchAll(/^```([^\n]*)\n([^]*?)^```$/gm)];
  return blocks.flatMap(([, own, text]) => (own === language ? [text.split("\n")[0].trim()] : []));
}

/**
 * @param script the name of the npm script, such as "start"
 * @param alone true for the command without what precedes it in a shell, such as `npm ci &&`
 * @throws Error if no block, or more than one, begins with such a command, or if it is none to paste
 */
export function readmeCommand(readme, script, alone = false) {
  const found = firstLines(readme, "sh").filter((line) =>
    (alone ? new RegExp(`^npm ${script}$`) : new RegExp(`&& npm ${script}$`)).test(line),
  );
  if (found.length !== 1)
    throw new Error(`README.md has ${found.length} blocks that run npm ${script}, in place of one`);
  if (/^#|\bgit clone\b|\bcd\b/.test(found[0])) throw new Error(`"${found[0]}" is not a command to paste`);
  return found[0];
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  console.log(readmeCommand(readFileSync("README.md", "utf8"), process.argv[2]));
}
