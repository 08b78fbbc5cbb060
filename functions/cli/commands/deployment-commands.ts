/** `stepwell deployments`: registers, lists, describes, updates and removes deployments. */
import { Command } from "commander";
import type { CircuitBody, DeploymentBody, DeploymentSummaryBody } from "../../../shared/api/contract/deployments.ts";
import { addressText, transportText, withHiddenHeaders } from "./deployment-address.ts";
import { momentText } from "../text/moment.ts";
import { probeCommand } from "./probe-command.ts";
import { registerCommand } from "./register-command.ts";
import { sessionOf, yesOption, type Session } from "../http/session.ts";
import { pairsText, tableText } from "../text/table.ts";
import { foreignText } from "../text/visible-text.ts";
import { updateCommand } from "./update-command.ts";

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
