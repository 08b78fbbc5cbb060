/** Finds the commands of the README: the first line of its nth fenced block. As a program, it prints that line. */
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

/**
 * @param position 1 for the first block
 * @throws Error if the block is not `sh` or its first line is not a plain command
 */
export function readmeCommand(readme, position) {
  const blocks = [...readme.matchAll(/^```([^\n]*)\n([^]*?)^```$/gm)];
  const block = blocks[position - 1];
  if (block === undefined) throw new Error(`README.md has no fenced block number ${position}`);
  const [, language, text] = block;
  if (language !== "sh") throw new Error(`The fenced block number ${position} of README.md is "${language}", not "sh"`);
  const command = text.split("\n")[0].trim();
  if (command === "" || /^#|\bgit clone\b|\bcd\b/.test(command))
    throw new Error(`"${command}" is not a command to paste`);
  return command;
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  console.log(readmeCommand(readFileSync("README.md", "utf8"), Number(process.argv[2])));
}
