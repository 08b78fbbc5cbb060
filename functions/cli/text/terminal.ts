/** The terminal of a command: results go to standard output, messages for the user to standard error. */
import { createInterface } from "node:readline/promises";
import picocolors from "picocolors";
import { CommandFailure, EXIT_ABORTED } from "./command-failure.ts";
import { foreignJson, foreignText } from "./visible-text.ts";

const PROGRESS_AFTER_MS = 300;
const PROGRESS_EVERY_MS = 1000;
const CLEARED_LINE = "\r\u001b[K";

export interface Terminal {
  /** Colours if standard output is a terminal, otherwise plain text. */
  readonly colours: Colours;
  /** Prints a line of the result. */
  readonly print: (text: string) => void;
  /** Prints a text that others chose: to a pipe as it is, and to a terminal without control characters. */
  readonly printForeign: (text: string) => void;
  /** Prints JSON: to a pipe as it is, and to a terminal with its control characters escaped. */
  readonly printJson: (json: string) => void;
  /** Prints a message for the user, which is not part of the result. */
  readonly tell: (text: string) => void;
  /** True if a user can answer questions. */
  readonly canAsk: boolean;
  /** @throws CommandFailure if the answer is not yes, or if there is no terminal */
  confirm(question: string): Promise<void>;
  /** Shows a progress text on a terminal until the promise settles, with the seconds since the start. */
  during<Result>(what: string, work: Promise<Result>): Promise<Result>;
}

export type Colours = ReturnType<typeof picocolors.createColors>;

export function openTerminal(): Terminal {
  const { stdin, stdout, stderr, env } = process;
  const wantsColour = env["NO_COLOR"] === undefined && env["TERM"] !== "dumb";
  const print = (text: string): void => void stdout.write(`${text}\n`);
  const tell = (text: string): void => void stderr.write(`${text}\n`);
  const canAsk = stdin.isTTY === true && stderr.isTTY === true;
  return {
    // `isTTY` of a pipe is undefined; for `undefined` the library would guess, and colour even a pipe if `CI` is set.
    colours: picocolors.createColors(stdout.isTTY === true && wantsColour),
    print,
    printForeign: (text) => print(stdout.isTTY === true ? foreignText(text) : text),
    printJson: (json) => print(stdout.isTTY === true ? foreignJson(json) : json),
    tell,
    canAsk,
    async confirm(question) {
      if (!canAsk) throw notConfirmed("there is no terminal for the question");
      if (!/^y(es)?$/i.test(await answerTo(question))) throw notConfirmed("the answer was not yes");
    },
    async during(what, work) {
      if (!stderr.isTTY) return work;
      let seconds = 0;
      let shown = false;
      const show = (text: string): void => {
        stderr.write(`${shown ? CLEARED_LINE : ""}${text} …`);
        shown = true;
      };
      const first = setTimeout(() => show(what), PROGRESS_AFTER_MS);
      const later = setInterval(() => show(`${what}, ${++seconds} s`), PROGRESS_EVERY_MS);
      try {
        return await work;
      } finally {
        clearTimeout(first);
        clearInterval(later);
        if (shown) stderr.write(CLEARED_LINE);
      }
    },
  };
}

/** @returns the empty text if the user ends the input or interrupts */
async function answerTo(question: string): Promise<string> {
  const prompt = createInterface({ input: process.stdin, output: process.stderr });
  const closed = new Promise<string>((resolve) => prompt.once("close", () => resolve("")));
  prompt.once("SIGINT", () => prompt.close());
  try {
    return (await Promise.race([prompt.question(`${question} (y/N) `), closed])).trim();
  } finally {
    prompt.close();
  }
}

function notConfirmed(cause: string): CommandFailure {
  return new CommandFailure("Nothing was changed: the change was not confirmed", {
    exitCode: EXIT_ABORTED,
    cause,
    fix: "Pass --yes to make the change without a question.",
  });
}
