/** Why a command ends without having done its work, in the form in which it is shown. */
import { remedyOf } from "../../shared/api/wire/remedies.ts";
import { EXIT_REFUSED } from "./exit-codes.ts";
import { foreignText } from "./visible-text.ts";

export interface FailureText {
  readonly exitCode: number;
  /** One of the error table, where there is one. */
  readonly code?: string;
  /** What lies behind the message, as one line. */
  readonly cause?: string;
  /** What the reader can do about it. */
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

/** Options of the command line that answer a refusal; the error table knows none of them. */
const OPTIONS: Readonly<Record<string, string>> = {
  META0003: "Headers are passed with --header name=value.",
  META0004: "On this command line: --force.",
  META0006: "On this command line: --breaking, or --force.",
  META0010: "On this command line: --data-dir.",
  META0011: "On this command line: --data-dir.",
  META0017: "On this command line: stepwell deployments remove <deployment-id>.",
  RT0004: "On this command line: --ingress-port and --admin-port.",
  RT0009: "On this command line: --data-dir.",
};

/** @param message as the server tells it: `[CODE] Title: detail`, and whatever it has to say without a code */
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

/** What the server would refuse with this code, seen before it is asked. */
export function ownRefusal(code: string, cause: string): CommandFailure {
  return codedFailure(code, `${remedyOf(code)?.title ?? code}: ${cause}`);
}

/** What is written to standard error. @param asJson for programs */
export function failureText(failure: CommandFailure, asJson: boolean): string {
  return asJson ? JSON.stringify(failureBody(failure), null, 2) : failureLines(failure).join("\n");
}

/** The lines that a person reads; the code comes first, since it is what one searches for. */
function failureLines({ message, text }: CommandFailure): readonly string[] {
  const documentation = text.code === undefined ? undefined : remedyOf(text.code)?.documentation;
  return [
    `${text.code ?? "error"}: ${foreignText(message)}`,
    ...(text.cause === undefined ? [] : [`  cause  ${foreignText(text.cause)}`]),
    ...(text.fix === undefined ? [] : [`  fix    ${text.fix}`]),
    ...(documentation === undefined ? [] : [`  see    ${documentation}`]),
  ];
}

function failureBody({ message, text }: CommandFailure): object {
  return { error: { code: text.code ?? null, message, cause: text.cause, fix: text.fix, exit_code: text.exitCode } };
}
