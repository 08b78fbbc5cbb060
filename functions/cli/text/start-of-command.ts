/** The words that start this command again, for texts that the user pastes into a terminal. */
import { existsSync, realpathSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { shellWord } from "../../../shared/api/wire/quoted-words.ts";

const NAME = "stepwell";
/** npm adds such folders to the PATH of the programs that it runs. Other terminals do not have them. */
const OF_NPM = /[/\\]node_modules[/\\]\.bin$/;

/**
 * The function never returns a command that downloads this package, because no registry has the package.
 * @param folder the folder in which the user will type the command
 * @returns the bare name if it leads to this program in every terminal, `npx` with the name if npx finds this program from the
 *   folder, and the path of this program otherwise
 */
export function startOfCommand(folder: string): string {
  const program = realpathSync(process.argv[1]!);
  const folders = (process.env["PATH"] ?? "").split(delimiter).filter((one) => !OF_NPM.test(one));
  if (leadsTo(program, folders)) return NAME;
  return leadsTo(program, binFoldersAbove(folder)) ? `npx ${NAME}` : `node ${shellWord(program)}`;
}

/** True if the first program of this name in the folders is `program`. */
function leadsTo(program: string, folders: readonly string[]): boolean {
  const found = folders.map((folder) => join(folder, NAME)).find((path) => existsSync(path));
  return found !== undefined && realpathSync(found) === program;
}

/** The folders in which npx looks for a program: those of npm in the folder itself and in each one above it. */
function binFoldersAbove(folder: string): readonly string[] {
  const above = dirname(folder);
  const own = join(folder, "node_modules/.bin");
  return above === folder ? [own] : [own, ...binFoldersAbove(above)];
}
