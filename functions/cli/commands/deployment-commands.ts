/** `stepwell deployments`: registers, lists, describes, updates and removes deployments. */
import { Command } from "commander";
import type {
  CircuitBody,
  DeploymentBody,
  DeploymentSummaryBody,
  ProbeBody,
} from "../../../shared/api/contract/deployments.ts";
import { addressText, transportText, withHiddenHeaders } from "./deployment-address.ts";
import { momentText } from "../text/moment.ts";
import { registerCommand, updateCommand } from "./register-command.ts";
import { sessionOf, yesOption, type Session } from "../http/session.ts";
import { pairsText, tableText } from "../text/table.ts";
import { foreignText, cutLine, foreignLine } from "../text/visible-text.ts";
import { differencePlace, differenceSides, probeSentence } from "../../../shared/api/wire/probe-words.ts";
import { EXIT_REFUSED } from "../text/command-failure.ts";
import type { Colours } from "../text/terminal.ts";

export function deploymentCommands(): Command {
  return new Command("deployments")
    .alias("dp")
    .description("Register and inspect deployments, the servers and functions that run handlers.")
    .addCommand(registerCommand())
    .addCommand(listCommand())
    .addCommand(describeCommand())
    .addCommand(probeCommand())
    .addCommand(updateCommand())
    .addCommand(removeCommand());
}

function listCommand(): Command {
  return new Command("list")
    .alias("ls")
    .description("List the deployments.")
    .action((_flags: unknown, command: Command) => list(sessionOf(command)));
}

async function list(session: Session): Promise<void> {
  type Listed = { readonly deployments: readonly DeploymentSummaryBody[] };
  const { body } = await session.admin.ask<Listed>("GET", "deployments");
  const newestFirst = body.deployments.toSorted((one, other) => other.created_at.localeCompare(one.created_at));
  session.give({ deployments: newestFirst.map(withHiddenHeaders) }, () => {
    if (newestFirst.length === 0)
      return "No deployment is registered. Register one with `stepwell deployments register`.";
    const rows = newestFirst.map((deployment) => [
      deployment.id,
      addressText(deployment),
      transportText(deployment),
      statusText(deployment),
      deployment.services.map(({ name, revision }) => `${name}@${revision}`).join(", "),
      momentText(deployment.created_at),
    ]);
    return tableText(session.terminal.colours, ["ID", "ADDRESS", "OVER", "STATUS", "SERVICES", "CREATED"], rows);
  });
}

function describeCommand(): Command {
  return new Command("describe")
    .alias("get")
    .description("Show a deployment with its services; values of headers are hidden.")
    .argument("<deployment-id>")
    .action((id: string, _flags: unknown, command: Command) => describe(sessionOf(command), id));
}

async function describe(session: Session, id: string): Promise<void> {
  const deployment = withHiddenHeaders(await find(session, id));
  session.give(deployment, () => deploymentText(session, deployment));
}

async function find({ admin }: Session, id: string): Promise<DeploymentBody> {
  return (await admin.ask<DeploymentBody>("GET", `deployments/${encodeURIComponent(id)}`)).body;
}

function deploymentText({ terminal }: Session, deployment: DeploymentBody): string {
  const { min_protocol_version: lowest, max_protocol_version: highest } = deployment;
  const facts = pairsText(terminal.colours, [
    ["Deployment", deployment.id],
    ["Address", addressText(deployment)],
    ["Over", transportText(deployment)],
    ["Status", deployment.status],
    ["Health", healthText(deployment)],
    ...(deployment.circuits ?? []).map(circuitPair),
    ["Protocol", `versions ${lowest} to ${highest}`],
    ["SDK", deployment.sdk_version],
    ["Created", momentText(deployment.created_at)],
    ["Headers", written(deployment.additional_headers)],
    ["Metadata", written(deployment.metadata)],
  ]);
  const rows = deployment.services.flatMap(({ name, revision, ty, handlers }) =>
    handlers.map((handler) => [name, String(revision), ty, handler.name, handler.ty ?? ""]),
  );
  return `${facts}\n\n${tableText(terminal.colours, ["SERVICE", "REVISION", "TYPE", "HANDLER", "KIND"], rows)}`;
}

function statusText({ status, circuits = [], health }: DeploymentSummaryBody): string {
  if (health?.state === "unreachable") return `${status}, unreachable since ${momentText(health.since ?? "")}`;
  return circuits.length === 0 ? status : `${status}, ${circuits.map(({ service }) => service).join(", ")} failing`;
}

/** Only for a deployment that gives no answers, or only failures; its circuits follow with their reasons. */
function healthText({ health }: Pick<DeploymentBody, "health">): string | undefined {
  if (health?.since === undefined) return undefined;
  const contact = health.last_contact_at;
  const last = contact === undefined ? "" : `; last contact with this server process ${momentText(contact)}`;
  return `${health.state} since ${momentText(health.since)}${last}`;
}

function circuitPair({ service, open_since, next_attempt_at, reason }: CircuitBody): [string, string] {
  const text = `every attempt has failed since ${momentText(open_since)}; next attempt ${momentText(next_attempt_at)}; ${reason}`;
  return [`Circuit of ${service}`, foreignText(text)];
}

function written(pairs: Readonly<Record<string, string>> | undefined): string | undefined {
  if (pairs === undefined) return undefined;
  return Object.entries(pairs)
    .map(([name, value]) => `${name}=${value}`)
    .join(", ");
}

function removeCommand(): Command {
  return new Command("remove")
    .alias("rm")
    .description("Remove a deployment that no invocation needs.")
    .argument("<deployment-id>")
    .option("--force", "remove it even if invocations need it; they fail with RT0011 until it is registered again")
    .addOption(yesOption())
    .action((id: string, flags: { readonly force?: true }, command: Command) =>
      remove(sessionOf(command), id, flags.force === true),
    );
}

async function remove(session: Session, id: string, force: boolean): Promise<void> {
  const deployment = await find(session, id);
  session.show(`${deploymentText(session, withHiddenHeaders(deployment))}\n`);
  await session.confirm("Remove this deployment?");
  await session.admin.ask("DELETE", `deployments/${encodeURIComponent(id)}${force ? "?force=true" : ""}`);
  session.give({ removed: deployment.id }, () => `Removed ${deployment.id}`);
}

/** Values may be whole schemas. */
const VALUE_MAX = 60;

/** `stepwell deployments probe`: the server asks a deployment at once what it announces, and the command shows what differs. */
function probeCommand(): Command {
  return new Command("probe")
    .description("Ask a deployment at once what it announces, and show what differs from its registration.")
    .argument("<deployment-id>")
    .action((id: string, _flags: unknown, command: Command) => probe(sessionOf(command), id));
}

/** Ends with the code of a refusal if no manifest came, so that a script can wait for a deployment. */
async function probe(session: Session, id: string): Promise<void> {
  const path = `deployments/${encodeURIComponent(id)}/probe`;
  const { body } = await session.admin.ask<ProbeBody>("POST", path, undefined, "Asking the deployment");
  session.give(body, () => probeText(session.terminal.colours, body));
  if (body.error !== undefined) process.exitCode = EXIT_REFUSED;
}

function probeText(colours: Colours, body: ProbeBody): string {
  const facts = pairsText(colours, [
    ["Deployment", body.deployment_id],
    ["Asked", `${momentText(body.began_at)}, took ${body.took_ms} ms`],
    ["Found", probeSentence(body)],
    ["Error", body.error && foreignLine(body.error.message)],
    ["Answer", answerText(body)],
    ["SDK", body.sdk_version && foreignLine(body.sdk_version)],
  ]);
  if (body.differences.length === 0) return facts;
  const rows = body.differences.map((one) => [
    foreignLine(differencePlace(one)),
    one.member,
    ...differenceSides(one).map((side) => cutLine(side, VALUE_MAX)),
  ]);
  const more = body.difference_count - body.differences.length;
  const rest = more === 0 ? "" : `\nand ${more} more`;
  return `${facts}\n\n${tableText(colours, ["WHERE", "WHAT", "REGISTERED", "FOUND"], rows)}${rest}`;
}

function answerText({ http_status: status, http_version: version, services, handlers }: ProbeBody): string | undefined {
  if (status === undefined) return undefined;
  const counts = services === undefined ? "" : `; services: ${services}, handlers: ${handlers}`;
  return `${status} over ${version}${counts}`;
}
