/** The common start of a trial and of its clean-up: account, stack, and output. */
import type { Terminal } from "../../functions/cli/text/terminal.ts";
import { findAccount, turnTo, type Account } from "./account.ts";
import { awsFailure } from "./aws-failure.ts";
import { stackNameOf } from "./stack-name.ts";
import type { Tools } from "./tools.ts";
import { TryStack, type StackState } from "./try-stack.ts";

export interface TryFlags {
  readonly yes?: true;
  readonly keep?: true;
  readonly destroy?: true;
  readonly json?: true;
  readonly profile?: string;
  readonly region?: string;
  readonly name?: string;
}

export interface Stage {
  readonly flags: TryFlags;
  readonly tools: Tools;
  readonly terminal: Terminal;
  readonly account: Account;
  /** The endpoint of an emulated AWS. */
  readonly endpoint: string | undefined;
  readonly stack: TryStack;
  /** The state of an existing stack. */
  readonly standing: StackState | undefined;
  /** Prints text that precedes the result: to standard error if the result is JSON. */
  show(text: string): void;
  /** Asks for confirmation, unless --yes was given. @throws CommandFailure if the answer is not yes */
  confirm(question: string): Promise<void>;
  /** Shows the progress of the work on a terminal; elsewhere only its start. */
  during<Result>(what: string, work: (onProgress: (text: string) => void) => Promise<Result>): Promise<Result>;
}

const TICK_MS = 1_000;
const CLEARED_LINE = "\r\u001b[K";

/** @throws CommandFailure without usable credentials, or if a stack of this name exists that this command did not deploy */
export async function setStage(flags: TryFlags, tools: Tools, terminal: Terminal): Promise<Stage> {
  const named = process.env["AWS_ENDPOINT_URL"];
  const endpoint = named === "" ? undefined : named;
  if (endpoint !== undefined) Object.assign(process.env, tools.clientEnvironment(endpoint));
  turnTo(flags);
  const account = await findAccount();
  const stack = new TryStack(tools, flags.name ?? stackNameOf(account.callerArn), endpoint);
  const standing = await stack.look().catch((error: unknown) => {
    throw awsFailure("CloudFormation does not say whether the stack is there", error);
  });
  return {
    flags,
    tools,
    terminal,
    account,
    endpoint,
    stack,
    standing,
    show: flags.json === true ? terminal.tell : terminal.print,
    confirm: async (question) => (flags.yes === true ? undefined : terminal.confirm(question)),
    during: (what, work) => during(terminal, what, work),
  };
}

async function during<Result>(
  { tell }: Terminal,
  what: string,
  work: (onProgress: (text: string) => void) => Promise<Result>,
): Promise<Result> {
  const startedMs = performance.now();
  const { isTTY } = process.stderr;
  if (!isTTY) tell(`${what} ...`);
  let last = "";
  const show = (text: string): void => {
    last = text;
    const seconds = Math.round((performance.now() - startedMs) / 1000);
    const line = `${what} (${seconds} s) ${text}`.slice(0, process.stderr.columns || undefined);
    if (isTTY) process.stderr.write(`${CLEARED_LINE}${line}`);
  };
  show("");
  const ticking = setInterval(() => show(last), TICK_MS);
  try {
    return await work(show);
  } finally {
    clearInterval(ticking);
    if (isTTY) process.stderr.write(CLEARED_LINE);
  }
}
