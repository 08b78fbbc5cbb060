/** `stepwell deployments update`: discovers a deployment again, shows the changes, asks, and updates it in place. */
import { Command } from "commander";
import type { DeploymentBody } from "../../../shared/api/contract/deployments.ts";
import { CommandFailure } from "../text/command-failure.ts";
import { addressText, deploymentAddress, withHiddenHeaders } from "./deployment-address.ts";
import { headerOptions, headersOf, type HeaderFlags } from "./pair-options.ts";
import { sessionOf, yesOption, type Session } from "../http/session.ts";
import { pairsText } from "../text/table.ts";

interface UpdateFlags extends HeaderFlags {
  readonly address?: string;
  readonly dryRun?: true;
  /** False for --no-headers. */
  readonly headers: boolean;
}

export function updateCommand(): Command {
  const command = new Command("update")
    .description("Discover a deployment again and store its present handlers; its invocations stay with it.")
    .argument("<deployment-id>")
    .option(
      "--address <address>",
      "the new address of the deployment: http://host:port, a port of this machine, or an ARN",
    )
    .option("--use-http1.1", "speak HTTP/1.1 to the deployment, for servers without HTTP/2")
    .option("--no-headers", "send no headers from now on; an update to another host needs --header or this option")
    .option("--dry-run", "show what would change, and change nothing");
  const headers = headerOptions(
    "a header of discovery and of every attempt; the given headers replace all stored ones",
  );
  for (const option of [...headers, yesOption()]) command.addOption(option);
  return command.action((id: string, flags: UpdateFlags, command: Command) => update(sessionOf(command), id, flags));
}

async function update(session: Session, id: string, flags: UpdateFlags): Promise<void> {
  const path = `deployments/${encodeURIComponent(id)}`;
  const body = updateBody(flags);
  const { body: before } = await session.admin.ask<DeploymentBody>("GET", path);
  const put = (dryRun: boolean, what: string) =>
    session.admin.ask<DeploymentBody>("PUT", path, { ...body, dry_run: dryRun }, what).catch(inOurOptions);
  const { body: planned } = await put(true, "Discovering");
  session.show(`${changesText(session, before, planned)}\n`);
  if (flags.dryRun === true) {
    return session.give(withHiddenHeaders(planned), () => "Nothing was changed: this was a dry run.");
  }
  await session.confirm("Update this deployment?");
  const { body: updated } = await put(false, "Updating");
  session.give(withHiddenHeaders(updated), () => `Updated ${updated.id}`);
}

/** The server's message names the request field; the fix names the options instead. */
function inOurOptions(error: unknown): never {
  if (!(error instanceof CommandFailure) || !error.message.includes("additional_headers")) throw error;
  const fix =
    "On this command line: --header name=value or --header-file for the headers of the new address, or --no-headers.";
  throw new CommandFailure(error.message, { ...error.text, fix });
}

function updateBody({ address, headers, ...flags }: UpdateFlags): object {
  const given = headersOf(flags);
  return {
    ...(address !== undefined && deploymentAddress(address)),
    // The parser derives the name `useHttp1.1` from the flag and keeps the dot.
    ...("useHttp1.1" in flags && { use_http_11: true }),
    ...(given === undefined ? !headers && { additional_headers: {} } : { additional_headers: given }),
  };
}

function changesText({ terminal }: Session, before: DeploymentBody, planned: DeploymentBody): string {
  const change = (textOf: (deployment: DeploymentBody) => string): string => {
    const [was, willBe] = [textOf(before), textOf(planned)];
    return was === willBe ? was : `${was} -> ${willBe}`;
  };
  return pairsText(terminal.colours, [
    ["Deployment", before.id],
    ["Address", change(addressText)],
    ["Headers", change(headersText)],
    ["Services", change(servicesText)],
  ]);
}

function headersText({ additional_headers: headers = {} }: DeploymentBody): string {
  return Object.keys(headers).join(", ") || "none";
}

function servicesText({ services }: DeploymentBody): string {
  return services.map(({ name, handlers }) => `${name} (${handlers.map((one) => one.name).join(", ")})`).join(", ");
}
