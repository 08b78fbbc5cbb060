/** `stepwell services`: lists and describes services. */
import { Command } from "commander";
import type { HandlerBody, ServiceBody, ServiceCountsBody } from "../../../shared/api/contract/services.ts";
import { momentText } from "../text/moment.ts";
import { sessionOf, type Session } from "../http/session.ts";
import { pairsText, tableText } from "../text/table.ts";

export function serviceCommands(): Command {
  return new Command("services")
    .alias("svc")
    .description("Inspect services and their handlers.")
    .addCommand(listCommand())
    .addCommand(describeCommand());
}

function listCommand(): Command {
  return new Command("list")
    .alias("ls")
    .description("List the services with their handlers.")
    .option("--counts", "count the open invocations of each; on AWS this reads the index of all open invocations")
    .action(({ counts }: { readonly counts?: true }, command: Command) =>
      counts === true ? listWithCounts(sessionOf(command)) : list(sessionOf(command)),
    );
}

/** The counts of a server with more open invocations than it counts are lower bounds, and begin with `>=`. */
async function listWithCounts(session: Session): Promise<void> {
  const [{ body }, { body: counted }] = await Promise.all([
    session.admin.ask<{ readonly services: readonly ServiceBody[] }>("GET", "services"),
    session.admin.ask<ServiceCountsBody>("GET", "internal/service-counts"),
  ]);
  const byName = new Map(counted.services.map((one) => [one.service, one]));
  const names = body.services.map(({ name }) => name).toSorted((one, other) => one.localeCompare(other));
  const bound = counted.at_least === true ? ">= " : "";
  const heads = ["NAME", "OPEN", "FAILING", "PAUSED"];
  session.give(counted, () => {
    const rows = names.map((name) => {
      const { open, failing, paused, failed } = byName.get(name) ?? { open: 0, failing: 0, paused: 0, failed: 0 };
      const cells = [name, ...[open, failing, paused].map((count) => `${bound}${count}`)];
      return counted.failed_since === undefined ? cells : [...cells, String(failed)];
    });
    const since = counted.failed_since;
    const table = tableText(session.terminal.colours, since === undefined ? heads : [...heads, "FAILED"], rows, [
      "left",
      "right",
      "right",
      "right",
      "right",
    ]);
    return since === undefined ? table : `${table}\nFAILED: ended with a failure since ${momentText(since)}`;
  });
}

async function list(session: Session): Promise<void> {
  const { body } = await session.admin.ask<{ readonly services: readonly ServiceBody[] }>("GET", "services");
  const services = body.services.toSorted((one, other) => one.name.localeCompare(other.name));
  session.give({ services }, () => {
    if (services.length === 0) return "No service is registered. Register one with `stepwell deployments register`.";
    const rows = services.map((service) => [
      service.name,
      service.ty,
      String(service.revision),
      service.public ? "yes" : "no",
      service.handlers.map(({ name }) => name).join(", "),
      service.deployment_id,
    ]);
    return tableText(session.terminal.colours, ["NAME", "TYPE", "REVISION", "PUBLIC", "HANDLERS", "DEPLOYMENT"], rows);
  });
}

function describeCommand(): Command {
  return new Command("describe")
    .alias("get")
    .description("Show a service with its settings, its handlers and the addresses of their calls.")
    .argument("<service>")
    .action((name: string, _flags: unknown, command: Command) => describe(sessionOf(command), name));
}

async function describe(session: Session, name: string): Promise<void> {
  const { body: service } = await session.admin.ask<ServiceBody>("GET", `services/${encodeURIComponent(name)}`);
  session.give(service, () => serviceText(session, service));
}

function serviceText({ terminal, ingressUrl }: Session, service: ServiceBody): string {
  const { colours } = terminal;
  const { retry_policy: retry } = service;
  const attempts = retry.max_attempts === null ? "without end" : `up to ${retry.max_attempts} times`;
  const facts = pairsText(colours, [
    ["Service", service.name],
    ["Type", service.ty],
    ["Revision", String(service.revision)],
    ["Deployment", service.deployment_id],
    ["Public", service.public ? "yes" : "no"],
    [
      "Retries",
      `${attempts}${retry.on_max_attempts === undefined ? "" : `, then ${retry.on_max_attempts.toLowerCase()}`}`,
    ],
    ["Kept", `journals ${service.journal_retention}, idempotency keys ${service.idempotency_retention}`],
    ["Time-outs", `inactivity ${service.inactivity_timeout}, abort ${service.abort_timeout}`],
    ["Deadlines", deadlinesText(service)],
    [
      "Notices",
      service.info?.map(({ code, message }) => (code === undefined ? message : `${code} ${message}`)).join("; "),
    ],
  ]);
  const rows = service.handlers.map((handler) => [
    handler.name,
    handler.ty ?? "",
    handler.input_description,
    handler.output_description,
    `${ingressUrl}${pathOf(service, handler)}`,
  ]);
  return `${facts}\n\n${tableText(colours, ["HANDLER", "KIND", "INPUT", "OUTPUT", "CALLED AT"], rows)}`;
}

/** @param service from a server that may be older than deadlines */
function deadlinesText({ start_within: start, end_within: end }: Partial<ServiceBody>): string | undefined {
  const parts = [
    ["start", start],
    ["end", end],
  ].flatMap(([word, within]) => (within === undefined || within === "0s" ? [] : [`${word} within ${within}`]));
  return parts.length === 0 ? undefined : parts.join(", ");
}

function pathOf(service: ServiceBody, handler: HandlerBody): string {
  return service.ty === "Service" ? `${service.name}/${handler.name}` : `${service.name}/{key}/${handler.name}`;
}
