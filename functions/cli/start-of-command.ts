/** The words that start this command again, for texts that the user pastes into a terminal. */
import { existsSync, realpathSync } from "node:fs";
import { delimiter, join } from "node:path";

const NAME = "stepwell";
/** npm adds such folders to the PATH of the programs that it runs. Other terminals do not have them. */
const OF_NPM = /[/\\]node_modules[/\\]\.bin$/;

/**
 * The function never returns a command that downloads this package, because no registry has the package.
 * @returns the bare name if it leads to this program in every terminal, and the path of this program otherwise
 */
export function startOfCommand(): string {
  const program = realpathSync(process.argv[1]!);
  const folders = (process.env["PATH"] ?? "").split(delimiter).filter((folder) => !OF_NPM.test(folder));
  const found = folders.map((folder) => join(folder, NAME)).find((path) => existsSync(path));
  return found !== undefined && realpathSync(found) === program ? NAME : `node ${shellWord(program)}`;
}

/** Quotes the word if a shell would split or change it. */
export function shellWord(word: string): string {
  return /^[\w@%+=:,./\\-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
