/**
 * Sends the requests of the tests of the SDKs to a control plane: calls, sends, results by id or workflow, cancels, admin
 * queries.
 */
import { expect } from "vitest";
import { fetch } from "../harness/local/admin-access.ts";

export interface JsonAnswer {
  readonly status: number;
  /** Parsed JSON; undefined for an empty body. */
  readonly body: unknown;
  readonly invocationId: string;
}

export interface ControlPlaneClient {
  /**
   * @param path the path below the ingress, with a leading slash
   * @param input the body before it becomes JSON; if it is undefined, the request has no body
   */
  post(path: string, input?: unknown, headers?: Readonly<Record<string, string>>): Promise<JsonAnswer>;
  /** Posts, expects a 200 and returns the output. */
  call(path: string, input?: unknown): Promise<unknown>;
  /** Sends, expects a 202 and returns the id of the invocation. */
  send(path: string, input?: unknown): Promise<string>;
  /** Waits for the result of an invocation. */
  attach(invocationId: string): Promise<JsonAnswer>;
  /** Asks for the result of a workflow: `attach` waits for the result, `output` returns at once. */
  workflow(name: string, id: string, how: "attach" | "output"): Promise<JsonAnswer>;
  cancel(invocationId: string): Promise<JsonAnswer>;
  /** A GET of the admin API. */
  admin(path: string): Promise<JsonAnswer>;
}

/** Neither address may end with a slash. */
export function controlPlaneClient(ingressUri: string, adminUri: string): ControlPlaneClient {
  const post: ControlPlaneClient["post"] = async (path, input, headers = {}) => {
    const typed = input === undefined ? headers : { "content-type": "application/json", ...headers };
    const body = input === undefined ? null : JSON.stringify(input);
    return answerOf(await fetch(ingressUri + path, { method: "POST", headers: typed, body }));
  };
  return {
    post,
    async call(path, input) {
      const { status, body } = await post(path, input);
      expect({ status, body }).toEqual({ status: 200, body });
      return body;
    },
    async send(path, input) {
      const { status, body } = await post(`${path}/send`, input);
      expect({ status, body }).toEqual({ status: 202, body });
      return (body as { invocationId: string }).invocationId;
    },
    attach: async (id) => answerOf(await fetch(`${ingressUri}/restate/invocation/${id}/attach`)),
    workflow: async (name, id, how) => answerOf(await fetch(`${ingressUri}/restate/workflow/${name}/${id}/${how}`)),
    cancel: async (id) => answerOf(await fetch(`${adminUri}/invocations/${id}/cancel`, { method: "PATCH" })),
    admin: async (path) => answerOf(await fetch(adminUri + path)),
  };
}

async function answerOf(response: Response): Promise<JsonAnswer> {
  const text = await response.text();
  const body: unknown = text === "" ? undefined : JSON.parse(text);
  return { status: response.status, body, invocationId: response.headers.get("x-restate-id") ?? "" };
}
