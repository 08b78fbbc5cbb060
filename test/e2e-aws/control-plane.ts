/** A client of a deployed control plane: the requests of callers and operators over HTTP. */
import { appendFileSync } from "node:fs";
import { inject } from "vitest";
import {
  send,
  type ApiRequest,
  type ApiResponse,
  type Credentials,
  type LocalApi,
} from "../../localstack/signed-request.mjs";
import type { InvocationBody } from "../../shared/api/contract/invocations.ts";
import { SEEN_WITHIN_MS } from "../patience.ts";

export interface DeployedStack {
  readonly outputs: Readonly<Record<string, string>>;
  readonly credentials: Credentials;
  readonly ingress: LocalApi;
  readonly admin: LocalApi;
}

interface DeployedAws {
  readonly endpoint: string;
  /** The process id of the emulator; 0 if this run did not start the emulator. */
  readonly emulatorPid: number;
  readonly countsFile: string;
  readonly handlerArn: string;
  readonly plain: DeployedStack;
  readonly doubled: DeployedStack;
}

declare module "vitest" {
  export interface ProvidedContext {
    readonly emulators: readonly DeployedAws[];
  }
}

/** The emulator of this vitest worker. Vitest numbers the workers of a run from 1, and each worker runs one file at a time. */
export const aws = inject("emulators")[Number(process.env["VITEST_POOL_ID"]) - 1]!;

export function countOne(what: "request" | "schedule fired"): void {
  appendFileSync(aws.countsFile, `${what}\n`);
}

export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

/**
 * Polls until the probe returns a value.
 * @throws Error if it never does
 */
export async function until<T>(what: string, probe: () => Promise<T | undefined>): Promise<T> {
  for (const endMs = Date.now() + SEEN_WITHIN_MS; Date.now() < endMs; await pause(100)) {
    const found = await probe();
    if (found !== undefined) return found;
  }
  throw new Error(`still not so after ${SEEN_WITHIN_MS} ms: ${what}`);
}

export interface SentInvocation {
  readonly invocationId: string;
}

export class ControlPlane {
  readonly stack: DeployedStack;

  constructor(stack: DeployedStack) {
    this.stack = stack;
  }

  async ask(request: ApiRequest): Promise<ApiResponse> {
    countOne("request");
    return await send(this.stack.ingress, request);
  }

  async askAdmin(request: ApiRequest, credentials: Credentials | undefined = this.stack.credentials) {
    countOne("request");
    return await send(this.stack.admin, { ...request, ...(credentials && { credentials }) });
  }

  async askAdminUnsigned(request: ApiRequest): Promise<ApiResponse> {
    countOne("request");
    return await send(this.stack.admin, request);
  }

  /** @param target `service/handler` */
  async call(target: string, input: unknown, headers: Readonly<Record<string, string>> = {}): Promise<ApiResponse> {
    return await this.ask(post(`/${target}`, input, headers));
  }

  /**
   * Calls, and attaches by the id if the answer is 504.
   * @throws Error for any status but 200 and 504
   */
  async answer(target: string, input: unknown): Promise<unknown> {
    const { status, text, headers } = await this.call(target, input);
    if (status === 504) return await this.result(String(headers["x-restate-id"]));
    if (status !== 200) throw new Error(`the call was answered with ${status}: ${text}`);
    return JSON.parse(text) as unknown;
  }

  /**
   * @returns the id of the invocation
   * @throws Error if the invocation was not accepted
   */
  async send(target: string, input: unknown, query = ""): Promise<string> {
    const { status, text } = await this.ask(post(`/${target}/send${query}`, input, {}));
    if (status !== 202) throw new Error(`the send was answered with ${status}: ${text}`);
    return (JSON.parse(text) as SentInvocation).invocationId;
  }

  /**
   * Attaches until there is a result.
   * @throws Error if the invocation ended with a failure
   */
  async result(id: string): Promise<unknown> {
    const { status, text } = await this.attached(`invocation/${id}`);
    if (status !== 200) throw new Error(`attaching was answered with ${status}: ${text}`);
    return JSON.parse(text) as unknown;
  }

  /**
   * Attaches until there is a result or a failure.
   * @param what the path of the invocation, such as `invocation/` and its id
   */
  async attached(what: string): Promise<ApiResponse> {
    return await until(`${what} has ended`, async () => {
      const answer = await this.ask({ path: `/restate/${what}/attach` });
      return answer.status === 504 ? undefined : answer;
    });
  }

  async register(address: { readonly arn: string } | { readonly uri: string }): Promise<void> {
    // A file before this one may have had the same port, with other handlers.
    const asked = "uri" in address ? { ...address, force: true } : address;
    const { status, text } = await this.askAdmin(post("/deployments", asked, {}));
    // Suites that share the stack share its handlers, and the first of them registers.
    if (status === 409 && text.includes("META0004")) return;
    if (status !== 201 && status !== 200) throw new Error(`registering was answered with ${status}: ${text}`);
  }

  async status(id: string): Promise<string> {
    return (await this.shown(id)).status;
  }

  /** @throws Error if the admin API does not find the invocation */
  async shown(id: string): Promise<InvocationBody> {
    const { status, text } = await this.askAdmin({ path: `/invocations/${id}` });
    if (status !== 200) throw new Error(`the request for the invocation was answered with ${status}: ${text}`);
    return JSON.parse(text) as InvocationBody;
  }

  async untilStatus(id: string, status: string): Promise<void> {
    await until(`${id} is ${status}`, async () => ((await this.status(id)) === status ? true : undefined));
  }

  /**
   * @param operation the name of the operation, such as `pause`, with its query
   * @returns the status of the answer
   */
  async change(id: string, operation: string): Promise<number> {
    return (await this.askAdmin({ method: "PATCH", path: `/invocations/${id}/${operation}` })).status;
  }

  async postAdmin(path: string, body: unknown, headers: Readonly<Record<string, string>> = {}): Promise<ApiResponse> {
    return await this.askAdmin(post(path, body, headers));
  }

  /** @throws Error if the statement is refused */
  async rows<Row>(statement: string): Promise<readonly Row[]> {
    const { status, text } = await this.postAdmin("/query", { query: statement }, { accept: "application/json" });
    if (status !== 200) throw new Error(`the statement was answered with ${status}: ${text}`);
    return (JSON.parse(text) as { readonly rows: readonly Row[] }).rows;
  }
}

function post(path: string, input: unknown, headers: Readonly<Record<string, string>>): ApiRequest {
  const body = input === undefined ? "" : JSON.stringify(input);
  const json = input === undefined ? {} : { "content-type": "application/json" };
  return { method: "POST", path, headers: { ...json, ...headers }, body };
}
