/** `stepwell kafka-clusters`: the clusters that subscriptions read from. */
import { Command } from "commander";
import type { KafkaClusterBody, SubscriptionBody } from "../../../shared/api/contract/topics.ts";
import { momentText } from "../text/moment.ts";
import { addPair, pairsInFile, type Pairs } from "./pair-options.ts";
import { sessionOf, yesOption, type Session } from "../http/session.ts";
import { lagOf } from "../text/subscription-text.ts";
import { pairsText, tableText } from "../text/table.ts";
import type { Colours } from "../text/terminal.ts";

type Described = KafkaClusterBody & { readonly subscriptions?: readonly SubscriptionBody[] };

interface PropertyFlags {
  readonly property: Pairs;
  readonly propertiesFile?: string;
}

export function kafkaClusterCommands(): Command {
  return new Command("kafka-clusters")
    .alias("kc")
    .description("Configure the Kafka clusters that subscriptions read from.")
    .addCommand(listCommand())
    .addCommand(describeCommand())
    .addCommand(changeCommand("create", "Configure a cluster.", "POST"))
    .addCommand(changeCommand("update", "Replace all properties of a cluster.", "PATCH"))
    .addCommand(deleteCommand());
}

function listCommand(): Command {
  return new Command("list")
    .alias("ls")
    .description("List the clusters.")
    .action(async (_flags: unknown, command: Command) => {
      const session = sessionOf(command);
      const { body } = await session.admin.ask<{ readonly clusters: readonly KafkaClusterBody[] }>(
        "GET",
        "kafka-clusters",
      );
      session.give(body, () => {
        if (body.clusters.length === 0)
          return "No cluster is configured. Configure one with `stepwell kafka-clusters create`.";
        const rows = body.clusters.map((one) => [one.name, brokersOf(one), originOf(one)]);
        return tableText(session.terminal.colours, ["NAME", "BROKERS", "CREATED"], rows);
      });
    });
}

function describeCommand(): Command {
  return new Command("describe")
    .alias("get")
    .description("Show a cluster with its properties and subscriptions; secrets are hidden.")
    .argument("<name>")
    .action(async (name: string, _flags: unknown, command: Command) => {
      const session = sessionOf(command);
      const { body } = await session.admin.ask<Described>("GET", `${pathOf(name)}?include_subscriptions=true`);
      session.give(body, () => clusterText(session.terminal.colours, body));
    });
}

function changeCommand(name: "create" | "update", description: string, method: "POST" | "PATCH"): Command {
  return new Command(name)
    .description(description)
    .argument("<name>")
    .option<Pairs>(
      "--property <name=value>",
      "a property such as bootstrap.servers=broker:9092; repeatable",
      addPair,
      {},
    )
    .option(
      "--properties-file <path>",
      "a file of name=value lines, which keeps passwords out of the list of processes",
    )
    .action(async (cluster: string, flags: PropertyFlags, command: Command) => {
      const session = sessionOf(command);
      const properties = {
        ...(flags.propertiesFile !== undefined && pairsInFile(flags.propertiesFile, ["="])),
        ...flags.property,
      };
      const body = method === "POST" ? { name: cluster, properties } : { properties };
      const path = method === "POST" ? "kafka-clusters" : pathOf(cluster);
      const answer = await session.admin.ask<KafkaClusterBody>(method, path, body);
      session.give(answer.body, () => `${method === "POST" ? "Configured" : "Updated"} ${answer.body.name}`);
    });
}

function deleteCommand(): Command {
  return new Command("delete")
    .alias("rm")
    .description("Remove a cluster that no subscription uses.")
    .argument("<name>")
    .option("--force", "remove it even if subscriptions use it; these then read nothing")
    .addOption(yesOption())
    .action((name: string, flags: { readonly force?: true }, command: Command) =>
      remove(sessionOf(command), name, flags.force === true),
    );
}

async function remove(session: Session, name: string, force: boolean): Promise<void> {
  await session.confirm(`Remove the cluster ${name}?`);
  await session.admin.ask("DELETE", `${pathOf(name)}${force ? "?force=true" : ""}`);
  session.give({ removed: name }, () => `Removed ${name}`);
}

function clusterText(colours: Colours, body: Described): string {
  const facts = pairsText(colours, [
    ["Cluster", body.name],
    ["Created", originOf(body)],
    ...Object.entries(body.properties).map(([name, value]): [string, string] => [name, value]),
  ]);
  const { subscriptions = [] } = body;
  if (subscriptions.length === 0) return facts;
  const rows = subscriptions.map((one) => [one.id, one.status, lagOf(one), one.source, one.sink]);
  return `${facts}\n\n${tableText(colours, ["SUBSCRIPTION", "STATUS", "LAG", "SOURCE", "SINK"], rows)}`;
}

function originOf({ info, created_at }: KafkaClusterBody): string {
  return info === undefined ? momentText(created_at) : "in the configuration";
}

function brokersOf({ properties }: KafkaClusterBody): string {
  return properties["bootstrap.servers"] ?? properties["metadata.broker.list"] ?? "";
}

function pathOf(name: string): string {
  return `kafka-clusters/${encodeURIComponent(name)}`;
}
