/** `stepwell ui`: opens the web UI of the server in a browser, and prints its address. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { Command, Option } from "commander";
import type { VersionBody } from "../../../shared/api/contract/server.ts";
import type { SignInCodeBody } from "../../../shared/api/wire/door.ts";
import type { AdminClient } from "../http/admin-client.ts";
import { CommandFailure, EXIT_USAGE } from "../text/command-failure.ts";
import { sessionOf } from "../http/session.ts";

/** The program that opens an address in the reader's browser, by platform; Linux is the default. */
const OPENERS: Readonly<Partial<Record<NodeJS.Platform, readonly string[]>>> = {
  darwin: ["open"],
  win32: ["rundll32", "url.dll,FileProtocolHandler"],
};
const OPENER_UNLESS_KNOWN = ["xdg-open"];
/** An opener that still runs after this time is the browser itself. */
const OPENER_WITHIN_MS = 3_000;

const PAGES: Readonly<Record<string, string>> = { inv: "invocations", dp: "deployments" };

export function uiCommand(): Command {
  return new Command("ui")
    .description("Open the web UI of the server in a browser, signed in.")
    .argument("[id]", "an invocation or a deployment, to open its page")
    .addOption(new Option("--print", "print the address, and open nothing"))
    .action((id: string | undefined, flags: { readonly print?: true }, command: Command) =>
      openUi(id, flags.print !== true, command),
    );
}

async function openUi(id: string | undefined, opens: boolean, command: Command): Promise<void> {
  const session = sessionOf(command);
  const route = routeTo(id);
  const { from, code } = await signInCode(session.admin);
  const url = addressOf(from, route, code);
  const opened = opens && (await opensInBrowser(url));
  session.give({ url, opened }, () => url);
  if (opens && !opened) session.terminal.tell("No browser could be started here. Open the address in one.");
}

/**
 * A browser cannot say why a page does not load, and these requests can.
 * @returns the address of the server, and a code that signs one browser in; no code if the server wants no token
 */
async function signInCode(admin: AdminClient): Promise<{ readonly from: string; readonly code?: string }> {
  try {
    const { from, body } = await admin.ask<SignInCodeBody>("POST", "-/sign-in-codes");
    return { from, code: body.code };
  } catch (error) {
    if (!(error instanceof CommandFailure) || error.text.status !== 404) throw error;
    return await admin.ask<VersionBody>("GET", "version");
  }
}

/** Without user and password, which would stay in the history of the browser. */
function addressOf(base: string, route: string, code: string | undefined): string {
  const signIn = `-/sign-in?code=${code}${route === "" ? "" : `&to=${route}`}`;
  const url = new URL(code === undefined ? "ui/" : signIn, base);
  [url.username, url.password] = ["", ""];
  return code === undefined && route !== "" ? `${url.href}#${route}` : url.href;
}

/** @throws CommandFailure for a text that is no id */
function routeTo(id: string | undefined): string {
  if (id === undefined) return "";
  const [, kind = ""] = /^(inv|dp)_[\w-]+$/.exec(id) ?? [];
  const page = PAGES[kind];
  if (page === undefined) {
    throw new CommandFailure(`'${id.slice(0, 100)}' is no id of an invocation or a deployment`, {
      exitCode: EXIT_USAGE,
      fix: "Such ids begin with inv_ or dp_.",
    });
  }
  return `/${page}/${id}`;
}

/** The environment variable BROWSER may name the program, as on many systems. */
async function opensInBrowser(url: string): Promise<boolean> {
  const named = process.env["BROWSER"] ?? "";
  const [program, ...args] = named === "" ? (OPENERS[process.platform] ?? OPENER_UNLESS_KNOWN) : [named];
  const child = spawn(program!, [...args, url], { stdio: "ignore", detached: true });
  const ended = new AbortController();
  const timer = setTimeout(() => ended.abort(), OPENER_WITHIN_MS);
  try {
    const [code] = (await once(child, "exit", { signal: ended.signal })) as [number | null];
    return code === 0;
  } catch {
    return ended.signal.aborted;
  } finally {
    clearTimeout(timer);
    child.unref();
  }
}
