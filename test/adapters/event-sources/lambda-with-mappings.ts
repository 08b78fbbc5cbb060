/**
 * A server with the part of Lambda's API that aliases and event source mappings need. A mapping keeps its transitional state,
 * such as `Creating`, until `settle`.
 */
import { createServer } from "node:http";
import type { Server } from "node:net";
import type { EventSourceMappingConfiguration } from "@aws-sdk/client-lambda";
import { startServer } from "../../harness/https/peer.ts";

type Mapping = EventSourceMappingConfiguration & { readonly alias: string };

export interface LambdaWithMappings {
  readonly uri: string;
  readonly aliases: ReadonlySet<string>;
  /** The mappings, by alias. */
  mappings(): Readonly<Record<string, readonly EventSourceMappingConfiguration[]>>;
  /** Each request that changed something, as method and path. */
  readonly changes: string[];
  /** Lets Lambda finish what it does in the background. */
  settle(): void;
  report(alias: string, result: string): void;
  /** Adds a mapping that reads the topic with this group and calls another function. */
  addForeign(topic: string, group: string): void;
  removeForeign(): void;
  /** Refuses requests with this method for this name from now on. */
  refuse(method: string, name: string): void;
  /** Answers the next request for a new mapping with a conflict, as if another process had just made the same mapping. */
  forestallNext(): void;
  stop(): Promise<void>;
}

const SETTLED: Readonly<Record<string, string>> = {
  Creating: "Enabled",
  Enabling: "Enabled",
  Updating: "Enabled",
  Disabling: "Disabled",
};

export async function lambdaWithMappings(functionName: string): Promise<LambdaWithMappings> {
  const aliases = new Set<string>();
  let mappings: Mapping[] = [];
  let made = 0;
  let isForestalled = false;
  const refused = new Set<string>();
  const changes: string[] = [];
  const conflict = [409, { Type: "User", message: "it exists" }, "ResourceConflictException"] as const;
  const unknown = [404, { Type: "User", message: "it is not there" }, "ResourceNotFoundException"] as const;

  const answerTo = (method: string, url: URL, body: Record<string, unknown>): readonly [number, object, string?] => {
    const [, kind, name, sub, last] = url.pathname.replace(/\/$/, "").split("/").map(decodeURIComponent).slice(1);
    if (method !== "GET") changes.push(`${method} ${[kind, sub, last].filter((one) => one !== undefined).join("/")}`);
    if (refused.has(`${method} ${last}`)) return [403, { message: "it is refused" }, "AccessDeniedException"];
    if (kind === "functions" && name === functionName && sub === "aliases") {
      if (method === "GET") return [200, { Aliases: [...aliases].map((Name) => ({ Name })) }];
      if (method === "DELETE") return aliases.delete(last!) ? [204, {}] : unknown;
      const { Name } = body as { readonly Name: string };
      if (aliases.has(Name)) return conflict;
      aliases.add(Name);
      return [201, { Name }];
    }
    if (kind !== "event-source-mappings") return unknown;
    if (method === "GET") {
      const asked = url.searchParams.get("FunctionName");
      return [200, { EventSourceMappings: mappings.filter(({ alias }) => `${functionName}:${alias}` === asked) }];
    }
    if (method === "POST") {
      const alias = String(body["FunctionName"]).split(":")[1]!;
      if (!aliases.has(alias)) return unknown;
      const source = sourceOf(body as unknown as Mapping);
      if (mappings.some((one) => sourceOf(one) === source)) return conflict;
      const mapping = {
        ...body,
        alias,
        UUID: `m${++made}`,
        State: body["Enabled"] === false ? "Disabling" : "Creating",
      };
      mappings.push(mapping as Mapping);
      if (isForestalled) {
        isForestalled = false;
        return conflict;
      }
      return [202, mapping];
    }
    const at = mappings.findIndex(({ UUID }) => UUID === name);
    if (at === -1) return unknown;
    const State = method === "DELETE" ? "Deleting" : body["Enabled"] === false ? "Disabling" : "Enabling";
    mappings[at] = { ...mappings[at]!, ...body, State };
    return [202, mappings[at]];
  };

  const server = createServer((incoming, outgoing) => {
    let text = "";
    incoming.setEncoding("utf8").on("data", (piece: string) => (text += piece));
    incoming.once("end", () => {
      const body = JSON.parse(text || "{}") as Record<string, unknown>;
      const [status, answer, error] = answerTo(incoming.method!, new URL(incoming.url!, "http://lambda"), body);
      outgoing.writeHead(status, {
        "content-type": "application/json",
        ...(error !== undefined && { "x-amzn-errortype": error }),
      });
      outgoing.end(status === 204 ? "" : JSON.stringify(answer));
    });
  });
  const peer = await startServer(server as Server);
  return {
    uri: peer.uri,
    aliases,
    changes,
    mappings: () =>
      Object.fromEntries([...aliases].map((name) => [name, mappings.filter(({ alias }) => alias === name)])),
    settle() {
      mappings = mappings
        .filter(({ State }) => State !== "Deleting")
        .map((one) => ({ ...one, State: SETTLED[one.State!] ?? one.State! }));
    },
    report(alias, result) {
      mappings = mappings.map((one) => (one.alias === alias ? { ...one, LastProcessingResult: result } : one));
    },
    addForeign(topic, group) {
      const SelfManagedKafkaEventSourceConfig = { ConsumerGroupId: group };
      mappings.push({
        alias: "",
        UUID: `m${++made}`,
        State: "Enabled",
        Topics: [topic],
        SelfManagedKafkaEventSourceConfig,
      });
    },
    removeForeign() {
      mappings = mappings.filter(({ alias }) => alias !== "");
    },
    refuse(method, name) {
      refused.add(`${method} ${name}`);
    },
    forestallNext() {
      isForestalled = true;
    },
    stop: () => peer.stop(),
  };
}

/** Lambda makes one mapping for each topic and group, whichever function it calls. */
function sourceOf({ Topics: topics, SelfManagedKafkaEventSourceConfig: own }: EventSourceMappingConfiguration): string {
  return `${topics?.[0]} ${own?.ConsumerGroupId}`;
}
