/** `stepwell deployments register`: discovers a deployment, shows the changes, asks for confirmation, and registers it. */
import { Command } from "commander";
import type { RegisterBody, RegisteredBody } from "../../../shared/api/contract/deployments.ts";
import type { ServiceBody } from "../../../shared/api/contract/services.ts";
import { curlParts, proposedCall } from "../../../shared/api/wire/proposed-call.ts";
import { ownRefusal } from "../text/command-failure.ts";
import { addressText, deploymentAddress } from "./deployment-address.ts";
import { addPair, headerOptions, headersOf, type HeaderFlags, type Pairs } from "./pair-options.ts";
import { planText } from "../text/registration-plan.ts";
import { sessionOf, yesOption, type Session } from "../http/session.ts";
import { foreignLine } from "../text/visible-text.ts";

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
