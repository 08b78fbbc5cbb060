/** `stepwell ui`: opens the web UI of the server in a browser, and prints its address. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { Command, Option } from "commander";
import type { VersionBody } from "../../shared/api/wire/admin.ts";
import { CommandFailure } from "./command-failure.ts";
import { EXIT_USAGE } from "./exit-codes.ts";
import { sessionOf } from "./session.ts";
import type { GlobalFlags } from "./session.ts";

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
    .description("Open the web UI of the server in a browser.")
    .argument("[id]", "an invocation or a deployment, to open its page")
    .addOption(new Option("--print", "print the address, and open nothing"))
    .action((id: string | undefined, flags: { readonly print?: true }, command: Command) =>
      openUi(id, flags.print !== true, command),
    );
}

async function openUi(id: string | undefined, opens: boolean, command: Command): Promise<void> {
  const session = sessionOf(command);
  const url = addressOf(command.optsWithGlobals<GlobalFlags>().adminUrl, id);
  // A browser cannot say why a page does not load, and this request can.
  await session.admin.ask<VersionBody>("GET", "version");
  const opened = opens && (await opensInBrowser(url));
  session.give({ url, opened }, () => url);
  if (opens && !opened) session.terminal.tell("No browser could be started here. Open the address in one.");
}

/** Without user and password, which would stay in the history of the browser. */
function addressOf(adminUrl: string, id: string | undefined): string {
  const url = new URL("ui/", adminUrl);
  [url.username, url.password] = ["", ""];
  if (id === undefined) return url.href;
  const [, kind = ""] = /^(inv|dp)_[\w-]+$/.exec(id) ?? [];
  const page = PAGES[kind];
  if (page === undefined) {
    throw new CommandFailure(`'${id.slice(0, 100)}' is no id of an invocation or a deployment`, {
      exitCode: EXIT_USAGE,
      fix: "Such ids begin with inv_ or dp_.",
    });
  }
  return `${url.href}#/${page}/${id}`;
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
