/** A session provides a command with the clients of both APIs, the terminal and the output format. */
import { InvalidArgumentError, Option, type Command } from "commander";
import { adminClient, type AdminClient } from "./admin-client.ts";
import { adminServer } from "./admin-server.ts";
import { CommandFailure, EXIT_USAGE } from "../text/command-failure.ts";
import { shownBase } from "./http-exchange.ts";
import { ingressClient, type IngressClient } from "./ingress-client.ts";
import { prettyJson } from "../../../shared/api/wire/pretty-json.ts";
import { openTerminal, type Terminal } from "../text/terminal.ts";

export interface Session {
  readonly admin: AdminClient;
  readonly ingress: IngressClient;
  readonly terminal: Terminal;
  /** The address of the ingress as the output of a command shows it: with a slash at its end, and without credentials. */
  readonly ingressUrl: string;
  /** True if the result is written as JSON. */
  readonly json: boolean;
  /** Prints text that precedes a question: to standard output, or to standard error if standard output carries JSON. */
  show(text: string): void;
  /** Prints the result, as JSON or as text. */
  give(body: unknown, text: () => string): void;
  /** Like `give`, for JSON text whose tokens, such as large numbers, must stay unchanged. */
  giveJson(json: string, text: () => string): void;
  /** True if --yes was given, or if a user can answer the question. */
  readonly canConfirm: boolean;
  /** Asks for confirmation, unless --yes was given. @throws CommandFailure if the answer is not yes */
  confirm(question: string): Promise<void>;
}

/** These options are accepted before and after every command name. */
export function serverOptions(): readonly Option[] {
  return [
    new Option("--admin-url <url>", "the admin API of the server")
      .env("STEPWELL_ADMIN_URL")
      .default("http://localhost:9070/")
      .argParser(address),
    new Option("--ingress-url <url>", "the ingress of the server, where handlers are called")
      .env("STEPWELL_INGRESS_URL")
      .default("http://localhost:8080/")
      .argParser(address),
    new Option(
      "--data-dir <directory>",
      "the directory of the local server's data, where its token for the admin API is (default: ./.stepwell)",
    ),
    new Option("--json", "write the result and errors as JSON"),
  ];
}

export function yesOption(): Option {
  return new Option("-y, --yes", "make the change without asking for confirmation");
}

export interface GlobalFlags {
  readonly adminUrl: string;
  readonly ingressUrl: string;
  readonly dataDir?: string;
  readonly json?: true;
  readonly yes?: true;
}

export function sessionOf(command: Command): Session {
  const { adminUrl, ingressUrl, dataDir, json, yes } = command.optsWithGlobals<GlobalFlags>();
  const terminal = openTerminal();
  return {
    admin: adminClient(
      () => adminServer({ adminUrl, ...(dataDir !== undefined && { dataDir }) }, process.env),
      terminal,
    ),
    ingress: ingressClient(ingressUrl, terminal),
    terminal,
    ingressUrl: shownBase(ingressUrl),
    json: json === true,
    show: json === true ? terminal.tell : terminal.print,
    give: (body, text) => (json === true ? terminal.printJson(JSON.stringify(body, null, 2)) : terminal.print(text())),
    giveJson: (written, text) => (json === true ? terminal.printJson(prettyJson(written)) : terminal.print(text())),
    canConfirm: yes === true || terminal.canAsk,
    confirm: async (question) => (yes === true ? undefined : terminal.confirm(question)),
  };
}

/** Option parser. @throws CommandFailure for a text that may contain a password, because the parser's own error shows the text */
function address(written: string): string {
  const full = /^[a-z]+:\/\//.test(written) ? written : `http://${written}`;
  if (URL.canParse(full) && /^https?:/.test(full)) return full.endsWith("/") ? full : `${full}/`;
  const fix = "Write an address that begins with http:// or https://.";
  if (!written.includes("@")) throw new InvalidArgumentError(fix);
  throw new CommandFailure("The address of the server is not valid", { exitCode: EXIT_USAGE, fix });
}
