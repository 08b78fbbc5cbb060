/** The few answers of AWS that decide whether a function starts: parameters and items of the table, over HTTP. */
import { createServer } from "node:http";
import type { Server } from "node:net";
import { startServer } from "../../harness/https/peer.ts";

export interface ScriptedAws {
  readonly uri: string;
  /** Values by name; any other name is answered with ParameterNotFound. */
  readonly parameters: Map<string, string>;
  /** The attributes of each item in DynamoDB's form. The key of this map is the end of the item's partition key. */
  readonly items: Map<string, Readonly<Record<string, object>>>;
  /** Whether reads of parameters are denied. */
  denies: boolean;
  stop(): Promise<void>;
}

interface Asked {
  readonly Name?: string;
  readonly Key?: { readonly pk: { readonly S: string } };
}

export async function scriptedAws(): Promise<ScriptedAws> {
  const parameters = new Map<string, string>();
  const items = new Map<string, Readonly<Record<string, object>>>();
  const server = createServer((incoming, outgoing) => {
    let body = "";
    incoming.setEncoding("utf8").on("data", (piece: string) => (body += piece));
    incoming.once("end", () => {
      const operation = String(incoming.headers["x-amz-target"]).split(".")[1]!;
      const [status, answer] = answerTo(operation, JSON.parse(body || "{}") as Asked);
      outgoing.writeHead(status, { "content-type": "application/x-amz-json-1.0" }).end(JSON.stringify(answer));
    });
  });
  const answerTo = (operation: string, { Name = "", Key }: Asked): readonly [number, object] => {
    if (operation !== "GetParameter") {
      const [, Item] = [...items].find(([end]) => Key?.pk.S.endsWith(end) === true) ?? [];
      return [200, Item === undefined ? {} : { Item }];
    }
    if (scripted.denies) return [400, { __type: "AccessDeniedException", message: `no ssm:GetParameter on ${Name}` }];
    const Value = parameters.get(Name);
    return Value === undefined ? [400, { __type: "ParameterNotFound" }] : [200, { Parameter: { Name, Value } }];
  };
  const peer = await startServer(server as Server);
  const scripted: ScriptedAws = { uri: peer.uri, parameters, items, denies: false, stop: () => peer.stop() };
  return scripted;
}
