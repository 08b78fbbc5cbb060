/** The failure of a command: exit code, message, cause and fix, and how they are printed. */
import { remedyOf } from "../../../shared/api/wire/remedies.ts";
import { foreignText } from "./visible-text.ts";
import type { CommanderError } from "commander";

export const EXIT_OK = 0;
export const EXIT_REFUSED = 1;
export const EXIT_USAGE = 2;
export const EXIT_NO_SERVER = 3;
export const EXIT_ABORTED = 4;
export const EXIT_INVOCATION_FAILED = 5;
/** The code that shells report for a process that SIGINT ends. */
export const EXIT_INTERRUPTED = 130;
/** Indents a further line to the column in which the texts begin. */
const CONTINUED = " ".repeat("  cause  ".length);
/** Commander's code for an incomplete command. For this code, Commander shows the help and has no useful message. */
const HELP = "commander.help";

interface ExitCode {
  readonly code: number;
  readonly meaning: string;
}

export const EXIT_CODES: readonly ExitCode[] = [
  { code: EXIT_OK, meaning: "the command succeeded" },
  { code: EXIT_REFUSED, meaning: "the server refused the request, or the command failed" },
  { code: EXIT_USAGE, meaning: "the command line is not valid" },
  {
    code: EXIT_NO_SERVER,
    meaning: "no server: it cannot be reached, does not answer in time, or is another one; or `dev` could not start",
  },
  { code: EXIT_ABORTED, meaning: "not confirmed: nothing was changed" },
  { code: EXIT_INVOCATION_FAILED, meaning: "`call` or `attach`: the invocation ended with a failure" },
  {
    code: EXIT_INTERRUPTED,
    meaning: "`call` or `attach`: interrupted by Ctrl-C, which ends the waiting and not the invocation",
  },
];

interface FailureText {
  readonly exitCode: number;
  /** A code of the error table. */
  readonly code?: string;
  /** The status of the answer that refused the request, or with which the invocation failed. */
  readonly status?: number;
  /** The invocation that the answer names. */
  readonly invocationId?: string;
  /** The underlying cause. */
  readonly cause?: string;
  /** The user's remedy. */
  readonly fix?: string;
}

export class CommandFailure extends Error {
  override name = "CommandFailure";
  readonly text: FailureText;

  constructor(message: string, text: FailureText) {
    super(message);
    this.text = text;
  }
}

/** How a refusal is resolved on the command line; the error table does not say this. */
const OPTIONS: Readonly<Record<string, string>> = {
  META0003: "Headers are passed with --header name=value, or with --header-file.",
  META0004: "On this command line: --force.",
  META0006: "On this command line: --breaking, or --force.",
  META0010: "On this command line: --data-dir.",
  META0011: "On this command line: --data-dir.",
  META0017: "On this command line: stepwell deployments remove <deployment-id>.",
  RT0004: "On this command line: --ingress-port and --admin-port.",
  RT0009: "On this command line: --data-dir.",
};

/** @param message the server's text: `[CODE] Title: detail`, or a text without a code */
export function codedFailure(code: string, message: string, exitCode: number = EXIT_REFUSED): CommandFailure {
  const known = remedyOf(code);
  const bare = message.replaceAll(`[${code}] `, "");
  const title = known !== undefined && bare.startsWith(known.title) ? known.title : bare;
  const cause = bare.slice(title.length).replace(/^: /, "").replace(/\.$/, "");
  const fix = [known?.remedy, OPTIONS[code]].filter((part) => part !== undefined).join(" ");
  return new CommandFailure(title, {
    exitCode,
    code,
    ...(cause === "" ? {} : { cause }),
    ...(fix === "" ? {} : { fix }),
  });
}

/** A refusal that the CLI predicts, so that it does not send the request. */
export function ownRefusal(code: string, cause: string): CommandFailure {
  return codedFailure(code, `${remedyOf(code)?.title ?? code}: ${cause}`);
}

/** The text for standard error. @param asJson whether the text is JSON for programs */
export function failureText(failure: CommandFailure, asJson: boolean): string {
  return asJson ? JSON.stringify(failureBody(failure), null, 2) : failureLines(failure).join("\n");
}

/** The human-readable lines; the code comes first because users search for it. */
function failureLines({ message, text }: CommandFailure): readonly string[] {
  const explained = text.code !== undefined && remedyOf(text.code) !== undefined;
  return [
    `${text.code ?? "error"}: ${beside(message)}`,
    ...(text.cause === undefined ? [] : [`  cause  ${beside(text.cause)}`]),
    ...(text.fix === undefined ? [] : [`  fix    ${beside(text.fix)}`]),
    ...(explained ? [`  see    stepwell explain ${text.code}`] : []),
  ];
}

/** Indents all lines of an untrusted text but the first, so that none of them looks like a line of the command. */
function beside(text: string): string {
  return foreignText(text).replaceAll("\n", `\n${CONTINUED}`);
}

function failureBody({ message, text }: CommandFailure): object {
  return { error: { code: text.code ?? null, message, cause: text.cause, fix: text.fix, exit_code: text.exitCode } };
}

/** @param error its message is `error: <reason>`, with an optional suggestion on a second line */
export function usageFailure({ code, message }: CommanderError): CommandFailure {
  if (code === HELP) return new CommandFailure("A command is missing", { exitCode: EXIT_USAGE, fix: "See --help." });
  const [first, guess] = message.replace(/^error: /, "").split("\n");
  const fix = guess === undefined ? "See --help." : guess.replace(/^\((.*)\)$/, "$1");
  return new CommandFailure(first!, { exitCode: EXIT_USAGE, fix });
}
