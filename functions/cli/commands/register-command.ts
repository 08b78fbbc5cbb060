/** `stepwell deployments register` and `update`: each discovers a deployment, shows the changes, asks for confirmation, and makes them. */
import { Command } from "commander";
import type { RegisterBody, RegisteredBody, DeploymentBody } from "../../../shared/api/contract/deployments.ts";
import type { ServiceBody } from "../../../shared/api/contract/services.ts";
import { curlParts, proposedCall } from "../../../shared/api/wire/proposed-call.ts";
import { ownRefusal, CommandFailure } from "../text/command-failure.ts";
import { addressText, deploymentAddress, withHiddenHeaders } from "./deployment-address.ts";
import { addPair, headerOptions, headersOf, type HeaderFlags, type Pairs } from "./pair-options.ts";
import { planText } from "../text/registration-plan.ts";
import { sessionOf, yesOption, type Session } from "../http/session.ts";
import { foreignLine } from "../text/visible-text.ts";
import { pairsText } from "../text/table.ts";

const STATUS_EXISTS = 200;

interface RegisterFlags extends HeaderFlags {
  readonly force?: true;
  readonly breaking?: true;
  readonly dryRun?: true;
  readonly metadata: Pairs;
}

export function registerCommand(): Command {
  const command = new Command("register")
    .aliases(["discover", "add"])
    .description("Register a deployment: its services become callable.")
    .argument("<address>", "http://host:port, a port of this machine, or the ARN of a function's version or alias")
    .option("--use-http1.1", "speak HTTP/1.1 to the deployment, for servers without HTTP/2")
    .option("--force", "replace the deployment that is registered under this address")
    .option("--breaking", "allow services to change their type and to lose handlers")
    .option("--dry-run", "show what would change, and change nothing")
    .option("--metadata <name=value>", "a note to store with the deployment; repeatable", addPair, {});
  const options = [...headerOptions("a header of discovery and of every attempt"), yesOption()];
  for (const option of options) command.addOption(option);
  return command.action((address: string, flags: RegisterFlags, command: Command) =>
    register(sessionOf(command), address, flags),
  );
}

async function register(session: Session, address: string, flags: RegisterFlags): Promise<void> {
  const body = registerBody(address, flags);
  const planned = await post(session, { ...body, dry_run: true }, "Discovering");
  if (planned.status === STATUS_EXISTS && flags.force !== true) throw existing(body, planned.body.id);
  const before = await knownServices(session, planned.body);
  session.show(planText(session.terminal.colours, planned.body, before));
  if (flags.dryRun === true) return session.give(planned.body, () => "Nothing was changed: this was a dry run.");
  await session.confirm("Register this deployment?");
  const { body: registered } = await post(session, { ...body, dry_run: false }, "Registering");
  session.give(registered, () => registeredText(session, registered));
}

function registerBody(written: string, flags: RegisterFlags): RegisterBody {
  const address = deploymentAddress(written);
  const more = {
    additional_headers: headersOf(flags) ?? {},
    metadata: flags.metadata,
    breaking: flags.breaking === true,
    force: flags.force === true,
  };
  if ("arn" in address) return { ...address, ...more };
  // The parser derives the name `useHttp1.1` from the flag and keeps the dot.
  return { ...address, use_http_11: "useHttp1.1" in flags, ...more };
}

async function post(
  session: Session,
  body: RegisterBody,
  what: string,
): ReturnType<typeof session.admin.ask<RegisteredBody>> {
  return session.admin.ask<RegisteredBody>("POST", "deployments", body, what);
}

/** The refusal that the server would send: the command fails with it before the confirmation question. */
function existing(body: RegisterBody, id: string): Error {
  return ownRefusal("META0004", `${addressText(body)} belongs to ${id}`);
}

/** A registration of only new services needs no second request. */
async function knownServices({ admin }: Session, planned: RegisteredBody): Promise<readonly ServiceBody[]> {
  if (planned.services.every(({ revision }) => revision === 1)) return [];
  const { body } = await admin.ask<{ readonly services: readonly ServiceBody[] }>("GET", "services");
  const names = new Set(planned.services.map(({ name }) => name));
  return body.services.filter(({ name }) => names.has(name));
}

function registeredText({ terminal, ingressUrl }: Session, registered: RegisteredBody): string {
  const { bold, green } = terminal.colours;
  const revisions = registered.services.map(({ name, revision }) => foreignLine(`  ${name}  revision ${revision}`));
  return [
    `${green("Registered")} ${bold(foreignLine(registered.id))}`,
    ...revisions,
    ...firstCall(ingressUrl, registered.services),
  ].join("\n");
}

/** The call that `stepwell dev` and the web UI propose too. */
function firstCall(ingressUrl: string, services: readonly ServiceBody[]): readonly string[] {
  const call = proposedCall(services);
  return call === undefined ? [] : ["", "Call it:", foreignLine(`  ${curlParts(call, ingressUrl).join(" ")}`)];
}

interface UpdateFlags extends HeaderFlags {
  readonly address?: string;
  readonly dryRun?: true;
  /** False for --no-headers. */
  readonly headers: boolean;
}

/** `stepwell deployments update`: discovers a deployment again, shows the changes, asks, and updates it in place. */
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
