/** A deployment over HTTP/2 with prior knowledge. It gives each discovery the answer that the test has set. */
import { once } from "node:events";
import { createServer, type ServerHttp2Stream, type IncomingHttpHeaders } from "node:http2";
import type { AddressInfo } from "node:net";

export interface SampleAnswer {
  readonly status?: number;
  readonly contentType?: string;
  readonly body?: string;
}

export interface SampleEndpoint {
  readonly uri: string;
  /** The headers of each discovery so far. */
  readonly asked: IncomingHttpHeaders[];
  answer: SampleAnswer | ((asked: number) => SampleAnswer);
  close(): Promise<void>;
}

export async function startEndpoint(manifest: object): Promise<SampleEndpoint> {
  const server = createServer();
  const sessions = new Set<{ close(): void; destroy(): void }>();
  const asked: IncomingHttpHeaders[] = [];
  server.on("session", (session) => sessions.add(session));
  server.on("stream", (stream: ServerHttp2Stream, headers: IncomingHttpHeaders) => {
    asked.push(headers);
    const { answer } = endpoint;
    const { status = 200, contentType, body = "" } = typeof answer === "function" ? answer(asked.length) : answer;
    stream.respond({
      ":status": headers[":path"] === "/discover" ? status : 404,
      "content-type": contentType ?? "application/vnd.restate.endpointmanifest.v4+json",
      "x-restate-server": "sample-sdk/1.0",
    });
    stream.end(body);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const endpoint: SampleEndpoint = {
    uri: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    answer: { body: JSON.stringify(manifest) },
    async close() {
      for (const session of sessions) session.destroy();
      server.close();
      await once(server, "close");
    },
  };
  return endpoint;
}

export function manifestOf(services: readonly object[], more: object = {}): object {
  return { protocolMode: "BIDI_STREAM", minProtocolVersion: 5, maxProtocolVersion: 7, services, ...more };
}
