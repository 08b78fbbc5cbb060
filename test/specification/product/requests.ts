/** The request for each operation: to the ingress or to the admin API, as data. */
import type { HttpRequest } from "../../../shared/api/http/message.ts";
import type { Choice, Operation } from "../model/words.ts";
import type { Ledger } from "./ledger.ts";

export interface Asking {
  readonly api: "ingress" | "admin";
  readonly request: HttpRequest;
  /** Code that is put onto a machine before the request. */
  readonly deploys?: { readonly uri: string; readonly code: string };
}

/** @param from the index of the last entry that a restart keeps */
export function requestOf(operation: Operation, ledger: Ledger, from = 0): Asking {
  switch (operation.do) {
    case "call":
    case "send":
      return ingress("POST", callPath(operation), {
        ...(operation.delayMs !== undefined && operation.delayMs > 0 && { query: `delay=${operation.delayMs}ms` }),
        ...(operation.key !== undefined && { headers: { "idempotency-key": operation.key } }),
        json: operation.program,
      });
    case "attach":
    case "output":
      return ingress("GET", `/restate/invocation/${ledger.idOf(operation.of)}/${operation.do}`);
    case "ask":
      return ingress("GET", questionPath(operation));
    case "resolve":
    case "reject": {
      const id = ledger.awakeableOf(operation.of, operation.step) ?? "";
      return ingress("POST", `/restate/awakeables/${id}/${operation.do}`, { text: operation.value });
    }
    case "cancel":
    case "kill":
    case "pause":
    case "purge":
    case "purge-journal":
      return admin("PATCH", `/invocations/${ledger.idOf(operation.of)}/${operation.do}`);
    case "resume":
    case "restart": {
      const path = operation.do === "resume" ? "resume" : "restart-as-new";
      const { of, on } = operation;
      const words = [...(on === undefined ? [] : [choiceOf(on, ledger)]), ...(from > 0 ? [`from=${from}`] : [])];
      return admin("PATCH", `/invocations/${ledger.idOf(of)}/${path}`, { query: words.join("&") });
    }
    case "edit": {
      const { service, key, values } = operation;
      const bytes = Object.entries(values).map(([name, value]) => [name, [...new TextEncoder().encode(value)]]);
      return admin("POST", `/services/${service}/state`, {
        json: { object_key: key, new_state: Object.fromEntries(bytes) },
      });
    }
    case "register": {
      const { uri, code, force } = operation;
      return { ...admin("POST", "/deployments", { json: { uri, force } }), deploys: { uri, code } };
    }
    case "update": {
      const { deployment, rule, uri, code } = operation;
      const json = { uri, ...(rule === "overwrite" && { overwrite: true }) };
      const path = `/deployments/${ledger.deploymentId(deployment)}`;
      return { ...admin(rule === "replace" ? "PUT" : "PATCH", path, { json }), deploys: { uri, code } };
    }
    case "connect":
      return admin("POST", "/kafka-clusters", {
        json: { name: operation.cluster, properties: { "bootstrap.servers": "kafka.test:9092" } },
      });
    case "disconnect":
      return admin("DELETE", `/kafka-clusters/${operation.cluster}`, { query: operation.force ? "force=true" : "" });
    case "subscribe": {
      const { source, sink } = operation;
      return admin("POST", "/subscriptions", { json: { source, sink } });
    }
    case "unsubscribe":
      return admin("DELETE", `/subscriptions/${ledger.subscriptionId(operation.of)}`);
    case "hold":
    case "release":
      return admin("PATCH", `/subscriptions/${ledger.subscriptionId(operation.of)}`, {
        json: { paused: operation.do === "hold" },
      });
    case "remove":
      return admin("DELETE", `/deployments/${ledger.deploymentId(operation.deployment)}`, {
        query: operation.force ? "force=true" : "",
      });
    default:
      throw new Error(`no request is made for ${operation.do}`);
  }
}

function choiceOf(on: Choice, ledger: Ledger): string {
  return `deployment=${on === "keep" || on === "latest" ? on : ledger.deploymentId(on)}`;
}

interface Content {
  readonly query?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly json?: unknown;
  readonly text?: string;
}

function ingress(method: string, path: string, content: Content = {}): Asking {
  return { api: "ingress", request: request(method, path, content) };
}

function admin(method: string, path: string, content: Content = {}): Asking {
  return { api: "admin", request: request(method, path, content) };
}

function request(method: string, path: string, { query = "", headers = {}, json, text }: Content): HttpRequest {
  const body = text ?? (json === undefined ? "" : JSON.stringify(json));
  const type: Record<string, string> = json === undefined ? {} : { "content-type": "application/json" };
  return { method, path, query, headers: { ...type, ...headers }, body: new TextEncoder().encode(body) };
}

function callPath({ do: how, target }: Extract<Operation, { do: "call" | "send" }>): string {
  const { service, key, handler } = target;
  const path = key === undefined ? `/${service}/${handler}` : `/${service}/${key}/${handler}`;
  return how === "send" ? `${path}/send` : path;
}

function questionPath({ question, target, key }: Extract<Operation, { do: "ask" }>): string {
  const { service, handler } = target;
  if (key === undefined) return `/restate/workflow/${service}/${target.key ?? ""}/${question}`;
  const middle = target.key === undefined ? handler : `${target.key}/${handler}`;
  return `/restate/invocation/${service}/${middle}/${key}/${question}`;
}
