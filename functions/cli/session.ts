/** What every command that talks to a server works with: the server, the terminal, and how the result is wanted. */
import { InvalidArgumentError, Option } from "commander";
import type { Command } from "commander";
import { adminClient } from "./admin-client.ts";
import type { AdminClient } from "./admin-client.ts";
import { openTerminal } from "./terminal.ts";
import type { Terminal } from "./terminal.ts";

export interface Session {
  readonly admin: AdminClient;
  readonly terminal: Terminal;
  /** With a slash at its end. */
  readonly ingressUrl: string;
  /** The result is written as JSON. */
  readonly json: boolean;
  /** A part of what a person sees before a question: on standard output, or beside it where that is JSON. */
  show(text: string): void;
  /** The result: as JSON where that is wanted, as the text otherwise. */
  give(body: unknown, text: () => string): void;
  /** Asks, unless --yes was given. @throws CommandFailure without a yes */
  confirm(question: string): Promise<void>;
}

/** Known before and after the name of every command. */
export function serverOptions(): readonly Option[] {
  return [
    new Option("--admin-url <url>", "the admin API of the server")
      .env("STEPWELL_ADMIN_URL")
      .default("http://localhost:9070/")
      .argParser(address),
    new Option("--ingress-url <url>", "where handlers are called")
      .env("STEPWELL_INGRESS_URL")
      .default("http://localhost:8080/")
      .argParser(address),
    new Option("--json", "write the result, and errors, as JSON"),
  ];
}

export function yesOption(): Option {
  return new Option("-y, --yes", "do not ask, the answer is yes");
}

export interface GlobalFlags {
  readonly adminUrl: string;
  readonly ingressUrl: string;
  readonly json?: true;
  readonly yes?: true;
}

export function sessionOf(command: Command): Session {
  const { adminUrl, ingressUrl, json, yes } = command.optsWithGlobals<GlobalFlags>();
  const terminal = openTerminal();
  return {
    admin: adminClient(adminUrl, terminal),
    terminal,
    ingressUrl,
    json: json === true,
    show: json === true ? terminal.tell : terminal.print,
    give: (body, text) => terminal.print(json === true ? JSON.stringify(body, null, 2) : text()),
    confirm: async (question) => (yes === true ? undefined : terminal.confirm(question)),
  };
}

function address(written: string): string {
  const full = /^[a-z]+:\/\//.test(written) ? written : `http://${written}`;
  if (!URL.canParse(full) || !/^https?:/.test(full)) throw new InvalidArgumentError("It is no http or https address.");
  return full.endsWith("/") ? full : `${full}/`;
}
