/** Writes runs of the command as text: arguments, output and exit code, with ids, ports and moments replaced by their shapes. */
import type { Asked, BuiltCommand } from "./built-command.ts";

export interface Scribe {
  /** Runs the command and adds the run to the transcript. @returns the exit code */
  run(args: string, asked?: Asked): Promise<number>;
  readonly text: string;
}

/** @param written pairs: a text that differs from run to run, and its replacement in the transcript */
export function scribe(
  command: BuiltCommand,
  env: Readonly<Record<string, string>>,
  written: readonly (readonly [string, string])[] = [],
): Scribe {
  let text = "";
  return {
    get text() {
      return text;
    },
    async run(args, asked = {}) {
      const { stdout, stderr, code } = await command.run(wordsOf(args), { ...asked, env: { ...env, ...asked.env } });
      const errors = stderr.replaceAll(/^(?=.)/gm, "! ");
      const shown = written.reduce((all, [from, to]) => all.replaceAll(from, to), `${args}\n${stdout}${errors}`);
      // A printed command begins with the path of the program, which has a folder of its own in each run.
      text += `$ stepwell ${shapeOf(shown.replaceAll(`node ${command.path}`, "stepwell"))}[exit ${code}]\n\n`;
      return code;
    },
  };
}

/** Splits at blanks, except between single quotes. */
function wordsOf(args: string): readonly string[] {
  return [...args.matchAll(/'([^']*)'|\S+/g)].map(([word, quoted]) => quoted ?? word);
}

/** Progress appears only on a slow machine, and the command erases it again. */
const PROGRESS = /[A-Z][a-z0-9:, ]+ …\r␛\[K/g;

/** A cell of the column AGE, whose cells are three characters wide up to 99 days. */
const AGE = /  [ \d]\d[smhd](?=\n|  )/g;

/** Every shape is as wide as the text that it replaces, so that columns stay aligned. */
function shapeOf(text: string): string {
  const same = (found: string): string =>
    found.replace(/^(dp_|inv_)?.*$/s, (all, prefix: string = "") => prefix + "x".repeat(all.length - prefix.length));
  return text
    .replaceAll(/(?:dp_|inv_)[0-9A-Za-z]{20,}/g, same)
    .replaceAll(/\d{4}-\d\d-\d\d([ T])\d\d:\d\d:\d\d(?:\.\d+)?( UTC|Z)/g, "YYYY-MM-DD$1hh:mm:ss$2")
    .replaceAll(/(127\.0\.0\.1|localhost):(\d{5})\b/g, "$1:ppppp")
    .replaceAll(/--after \S+/g, "--after …")
    .replaceAll(AGE, "  nns")
    .replaceAll("\u001b", "␛")
    .replaceAll(PROGRESS, "");
}
