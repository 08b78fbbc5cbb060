/** Mistakes in the client of deployments: what refuses is left, a refusal costs no attempt, floods end, and packed answers wait. */
import { constants, createServer } from "node:http2";
import { createServer as createNet, type Server } from "node:net";
import { createInflateRaw, deflateRawSync } from "node:zlib";
import { onTestFinished, vi } from "vitest";
import type * as IdleWork from "../../../shared/adapters/https/exchange/idle-work.ts";
import type * as Connection from "../../../shared/adapters/https/http2/http2-connection.ts";
import { HttpsEndpoints } from "../../../shared/adapters/https/https-endpoints.ts";
import type * as Unpacked from "../../../shared/adapters/lambda/unpacked-body.ts";
import { UnpackedBody } from "../../../shared/adapters/lambda/unpacked-body.ts";
import { TransportError } from "../../../shared/engine/ports/endpoints.ts";
import { END_HEADERS, frame, OK, settings, TYPE } from "../../adapters/https/http2/scripted-peer.ts";
import { readAll, requestTo } from "../../contracts/endpoints-contract.ts";
import { startServer } from "../../harness/https/peer.ts";
import { ruleTests } from "./rule-tests.ts";

const planted = vi.hoisted(() => ({ now: "" }));
const STAYS = "a connection that refuses and still takes streams";
const COSTS = "a refused stream that costs an attempt";
const UNCOUNTED = "a bound of idle work that does not count";
const UNPACKED_FIRST = "an answer that is unpacked before it is read";

vi.mock("../../../shared/adapters/https/http2/http2-connection.ts", async (original) => {
  const right = await original<typeof Connection>();
  const { acting } = await import("../acts.ts");
  class Http2Connection extends right.Http2Connection {
    override onRefusal(): void {
      if (planted.now === STAYS) acting(undefined);
      else super.onRefusal();
    }

    override onRefused(...[exchange, target, isNew]: Parameters<Connection.Http2Connection["onRefused"]>): void {
      if (planted.now === COSTS) exchange.fail(acting(new TransportError("broken", "the peer refused the request")));
      else super.onRefused(exchange, target, isNew);
    }
  }
  return { Http2Connection };
});
vi.mock("../../../shared/adapters/https/exchange/idle-work.ts", async (original) => {
  const right = await original<typeof IdleWork>();
  const { acting } = await import("../acts.ts");
  class IdleWorkOfMistake extends right.IdleWork {
    override frame(): boolean {
      return planted.now === UNCOUNTED ? acting(false) : super.frame();
    }
  }
  return { ...right, IdleWork: IdleWorkOfMistake };
});
vi.mock("../../../shared/adapters/lambda/unpacked-body.ts", async (original) => {
  const right = await original<typeof Unpacked>();
  const { acting } = await import("../acts.ts");
  class Eager extends right.UnpackedBody {
    #whole: Promise<Uint8Array | undefined> | undefined;

    override next(): Promise<Uint8Array | undefined> {
      if (planted.now !== UNPACKED_FIRST) return super.next();
      return (this.#whole ??= this.#all());
    }

    async #all(): Promise<Uint8Array> {
      const pieces: Uint8Array[] = [];
      for (let piece = await super.next(); piece !== undefined; piece = await super.next()) pieces.push(piece);
      return acting(Buffer.concat(pieces));
    }
  }
  return { ...right, UnpackedBody: Eager };
});

const PIECE_BYTES = 64 * 1024;
const BOMB_BYTES = 32 * 1024 * 1024;
/** Twice the bound of idle work. */
const IDLE_FRAMES = 20_000;
const ENDS_WITHIN_MS = 3_000;

function endpointsOfTest(): HttpsEndpoints {
  const endpoints = new HttpsEndpoints({ allow: ["loopback"] });
  onTestFinished(() => endpoints.close());
  return endpoints;
}

/** The first connection answers one request and refuses all others; the second one answers. */
async function aboutRefusals(): Promise<readonly string[]> {
  let refusals = 0;
  const streamsOf = new Map<unknown, number>();
  const server = createServer();
  server.on("sessionError", () => {});
  server.on("stream", (stream) => {
    stream.on("error", () => {});
    stream.resume();
    const streams = (streamsOf.get(stream.session) ?? 0) + 1;
    streamsOf.set(stream.session, streams);
    if (streamsOf.size === 1 && streams > 1) {
      refusals += 1;
      return stream.close(constants.NGHTTP2_REFUSED_STREAM);
    }
    stream.respond({ ":status": 200 });
    stream.end("fine");
  });
  const peer = await startServer(server as unknown as Server, "http");
  onTestFinished(() => peer.stop());
  const endpoints = endpointsOfTest();
  const wrong: string[] = [];
  for (let at = 0; at < 4; at++) {
    const exchange = endpoints.open(requestTo(peer.uri, "h2 in the clear", { body: [Buffer.from("hello")] }));
    const told = await readAll(exchange).catch((error: Error) => error.message);
    if (String(told) !== "fine") wrong.push(`request ${at + 1}: ${String(told)}`);
  }
  if (refusals !== 1) wrong.push(`the connection that refuses was asked ${refusals} times`);
  return wrong;
}

/** A peer begins its answer, and sends frames without content after it. */
async function aboutFloods(): Promise<readonly string[]> {
  const server = createNet((socket) => {
    socket.on("error", () => {});
    socket.resume();
    const idle = Array.from({ length: IDLE_FRAMES }, () => frame(TYPE.data, 0, 1));
    socket.write(Buffer.concat([settings(), frame(TYPE.headers, END_HEADERS, 1, OK), ...idle]));
  });
  const peer = await startServer(server, "http");
  onTestFinished(() => peer.stop());
  const exchange = endpointsOfTest().open(requestTo(peer.uri, "h2 in the clear", { body: [Buffer.from("hello")] }));
  const reading = readAll(exchange).then(
    () => "an end",
    (error: unknown) => (error instanceof TransportError ? error.reason : String(error)),
  );
  const late = new Promise<string>((resolve) => setTimeout(resolve, ENDS_WITHIN_MS, "nothing"));
  const told = await Promise.race([reading, late]);
  exchange.abort();
  return told === "flood" ? [] : [`a flood ends with ${told}`];
}

/** The reader of a packed answer has read one piece, and has no room for more. */
async function aboutPackedAnswers(): Promise<readonly string[]> {
  const unpacking = createInflateRaw({ chunkSize: PIECE_BYTES });
  const body = new UnpackedBody(deflateRawSync(Buffer.alloc(BOMB_BYTES)), unpacking);
  const first = await body.next();
  body.close();
  return first!.length <= PIECE_BYTES ? [] : [`the first read gave ${first!.length} bytes`];
}

ruleTests(import.meta.filename, planted, [STAYS, COSTS, UNCOUNTED, UNPACKED_FIRST], async () => [
  ...(await aboutRefusals()),
  ...(await aboutFloods()),
  ...(await aboutPackedAnswers()),
]);
