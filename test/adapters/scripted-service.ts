/**
 * An HTTP service that records its requests and gives scripted answers, for tests of answers that no emulator gives on demand.
 */
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

export interface Asked {
  readonly path: string;
  /** The operation, if the protocol names it in a header. */
  readonly operation: string | undefined;
  readonly text: string;
  /** The access key that signed the request. */
  readonly signer: string | undefined;
  /** The trace header of the request, if any. */
  readonly traceId: string | undefined;
}

export interface ScriptedAnswer {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as JSON unless it is a text. */
  readonly body?: unknown;
}

export interface ScriptedService {
  readonly options: {
    readonly endpoint: string;
    readonly region: string;
    readonly credentials: { readonly accessKeyId: string; readonly secretAccessKey: string };
  };
  readonly asked: Asked[];
  stop(): Promise<void>;
}

/** @param answer the function that makes the answer to each request; if its promise rejects, the service breaks the connection */
export async function startService(
  answer: (asked: Asked, count: number) => ScriptedAnswer | Promise<ScriptedAnswer>,
): Promise<ScriptedService> {
  const asked: Asked[] = [];
  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part as Buffer);
    const operation = request.headers["x-amz-target"]?.toString().split(".").at(-1);
    const signer = /Credential=([^/]+)\//.exec(request.headers.authorization ?? "")?.[1];
    const traceId = request.headers["x-amzn-trace-id"]?.toString();
    const one: Asked = { path: request.url ?? "", operation, text: Buffer.concat(parts).toString(), signer, traceId };
    asked.push(one);
    const { status = 200, headers = {}, body = {} } = await answer(one, asked.length);
    response.writeHead(status, { "content-type": "application/x-amz-json-1.0", ...headers });
    response.end(typeof body === "string" ? body : JSON.stringify(body));
  };
  const server = createServer((request, response) => {
    serve(request, response).catch(() => request.socket.destroy());
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    options: {
      endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
      region: "eu-west-1",
      credentials: { accessKeyId: "test", secretAccessKey: "test" },
    },
    asked,
    async stop() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}
