/** The terminal of a command: results go to standard output, messages for the user to standard error. */
import { createInterface } from "node:readline/promises";
import picocolors from "picocolors";
import { CommandFailure } from "./command-failure.ts";
import { EXIT_ABORTED } from "./exit-codes.ts";

const PROGRESS_AFTER_MS = 300;
const CLEARED_LINE = "\r\u001b[K";

export interface Terminal {
  /** Colours if standard output is a terminal, otherwise plain text. */
  readonly colours: Colours;
  /** Prints a line of the result. */
  readonly print: (text: string) => void;
  /** Prints a message for the user, which is not part of the result. */
  readonly tell: (text: string) => void;
  /** @throws CommandFailure if the answer is not yes, or if there is no terminal */
  confirm(question: string): Promise<void>;
  /** Shows a progress text on a terminal until the promise settles. */
  during<Result>(what: string, work: Promise<Result>): Promise<Result>;
}

export type Colours = ReturnType<typeof picocolors.createColors>;

export function openTerminal(): Terminal {
  const { stdin, stdout, stderr, env } = process;
  const wantsColour = env["NO_COLOR"] === undefined && env["TERM"] !== "dumb";
  const tell = (text: string): void => void stderr.write(`${text}\n`);
  return {
    // The colour library guesses if the argument is `undefined`, and then colours even a pipe if `CI` is set.
    colours: picocolors.createColors(stdout.isTTY === true && wantsColour),
    print: (text) => void stdout.write(`${text}\n`),
    tell,
    async confirm(question) {
      if (!stdin.isTTY || !stderr.isTTY) throw notConfirmed("there is no terminal for the question");
      if (!/^y(es)?$/i.test(await answerTo(question))) throw notConfirmed("the answer was not yes");
    },
    async during(what, work) {
      if (!stderr.isTTY) return work;
      let shown = false;
      const timer = setTimeout(() => {
        shown = true;
        stderr.write(`${what} …`);
      }, PROGRESS_AFTER_MS);
      try {
        return await work;
      } finally {
        clearTimeout(timer);
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
