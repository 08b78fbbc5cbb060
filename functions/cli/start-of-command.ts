/** The words that start this command again, for texts that the user pastes into a terminal. */
import { existsSync, realpathSync } from "node:fs";
import { delimiter, join } from "node:path";

const NAME = "stepwell";
/** npm puts such folders on the PATH of what it runs; in another terminal they are not there. */
const OF_NPM = /[/\\]node_modules[/\\]\.bin$/;

/**
 * No registry has this package, so that a text never sends the user to one.
 * @returns the bare name if it leads to this program in every terminal, and the path of this program otherwise
 */
export function startOfCommand(): string {
  const program = realpathSync(process.argv[1]!);
  const folders = (process.env["PATH"] ?? "").split(delimiter).filter((folder) => !OF_NPM.test(folder));
  const found = folders.map((folder) => join(folder, NAME)).find((path) => existsSync(path));
  return found !== undefined && realpathSync(found) === program ? NAME : `node ${shellWord(program)}`;
}

/** Quoted where a shell would take the word apart. */
export function shellWord(word: string): string {
  return /^[\w@%+=:,./\\-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
