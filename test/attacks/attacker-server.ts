/** The hostile deployment: HTTP/2 with prior knowledge, a manifest, and the answers of its handlers. */
import { once } from "node:events";
import { createServer, type Http2Server, type ServerHttp2Stream } from "node:http2";
import type { AddressInfo, Server, Socket } from "node:net";
import type { Attack } from "./attack.ts";
import { requestServer, type Transport } from "./transports.ts";

export interface AttackerServer {
  readonly port: number;
  readonly attemptsAtMs: number[];
  replace(server: Server): Promise<void>;
  /** Stops the server, and ends its connections. */
  stop(): Promise<void>;
}

/** The memory limit of a session. With its default limit, Node would refuse streams while large answers wait. */
const SESSION_MAX_MB = 10_000;
const MANIFEST_TYPE = "application/vnd.restate.endpointmanifest.v4+json";

/** A server of the attack's handlers; over another transport than HTTP/2 in the clear, one that only shows its manifest. */
export async function startAttackerServer(attack: Attack, transport?: Transport): Promise<AttackerServer> {
  if (transport === undefined || transport.kind === "h2 in the clear") return await started(handlersServer(attack));
  const manifest = JSON.stringify(manifestOf(attack));
  const server = requestServer(transport, (_request, response) => {
    response.writeHead(200, { "content-type": MANIFEST_TYPE }).end(manifest);
  });
  return await started({ server, attemptsAtMs: [] });
}

interface Answering {
  readonly server: Server;
  readonly attemptsAtMs: number[];
}

function handlersServer(attack: Attack): Answering {
  const server = createServer({
    maxSessionMemory: SESSION_MAX_MB,
    ...(attack.streamsMax !== undefined && { settings: { maxConcurrentStreams: attack.streamsMax } }),
  });
  server.on("session", (session) => void session.on("error", () => undefined));
  return { server: server as unknown as Server, attemptsAtMs: answerAttempts(server, attack) };
}

async function started({ server, attemptsAtMs }: Answering): Promise<AttackerServer> {
  const sockets = new Set<Socket>();
  server.on("connection", (socket: Socket) => {
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const stop = async (): Promise<void> => {
    const closed = once(server, "close");
    server.close();
    for (const socket of sockets) socket.destroy();
    await closed;
  };
  return {
    port,
    attemptsAtMs,
    stop,
    async replace(other) {
      await stop();
      other.listen(port, "127.0.0.1");
      await once(other, "listening");
    },
  };
}

/** @returns a list with the start of each attempt; it grows with each further attempt */
function answerAttempts(server: Http2Server, attack: Attack): number[] {
  const attemptsAtMs: number[] = [];
  const earlier = new Map<string, number>();
  server.on("stream", (stream: ServerHttp2Stream, headers) => {
    stream.on("error", () => undefined);
    const path = String(headers[":path"]);
    if (path === "/discover") {
      stream.respond({ ":status": 200, "content-type": MANIFEST_TYPE });
      stream.end(JSON.stringify(manifestOf(attack)));
      return;
    }
    attemptsAtMs.push(performance.now());
    const handler = path.split("/").at(-1)!;
    const before = earlier.get(handler) ?? 0;
    earlier.set(handler, before + 1);
    const talk = attack.talks?.[handler];
    if (talk !== undefined) return talk({ stream, contentType: String(headers["content-type"]) });
    const parts: Buffer[] = [];
    stream.on("data", (part: Buffer) => parts.push(part));
    stream.once("end", () => {
      if (stream.destroyed) return;
      const contentType = String(headers["content-type"]);
      attack.answers![handler]!({ stream, contentType, body: Buffer.concat(parts), earlier: before });
    });
  });
  return attemptsAtMs;
}

function manifestOf({ answers = {}, talks = {}, isObject, options = {}, transport }: Attack): object {
  const handlers = Object.keys({ ...answers, ...talks }).map((name) => ({
    name,
    ...(isObject && { ty: "EXCLUSIVE" }),
  }));
  const service = { name: "Attacker", ty: isObject ? "VIRTUAL_OBJECT" : "SERVICE", handlers, ...options };
  const protocolMode = transport?.startsWith("http1.1") === true ? "REQUEST_RESPONSE" : "BIDI_STREAM";
  return { protocolMode, minProtocolVersion: 5, maxProtocolVersion: 7, services: [service] };
}
