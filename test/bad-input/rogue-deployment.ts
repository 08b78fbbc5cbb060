/** A deployment that registers correctly, and then answers the calls of each handler in a different wrong way. */
import { createServer, type ServerHttp2Stream } from "node:http2";
import { gzipSync } from "node:zlib";
import { encodeFrame } from "../../shared/core/protocol/frame.ts";
import { manifestOf } from "../api/admin/sample-endpoint.ts";
import { listen, type Listening } from "../harness/local/local-stage.ts";

const CONTENT_TYPE = "application/vnd.restate.invocation.v7";
const OUTPUT = 0x0401;
const END = 0x0003;
const SET_STATE = 0x0403;
const AWAITING_ON = 0x0006;
const PIECE = Buffer.alloc(64 * 1024, 0x01);
/** A valid frame: `state.set("k", "vvv")`. */
const setState = Buffer.from(
  encodeFrame(SET_STATE, Buffer.concat([Buffer.from([0x0a, 1, 107, 0x1a, 5, 0x0a, 3]), Buffer.from("vvv")])),
);

type Answer = (stream: ServerHttp2Stream) => void;

function answer(body: Uint8Array, headers: Record<string, string | number> = {}): Answer {
  return (stream) => {
    stream.respond({ ":status": 200, "content-type": CONTENT_TYPE, ...headers });
    stream.end(body);
  };
}

/** Writes until the stream is destroyed. */
function endless(piece: Uint8Array): Answer {
  return (stream) => {
    stream.respond({ ":status": 200, "content-type": CONTENT_TYPE });
    const more = (): void => {
      while (!stream.destroyed && stream.write(piece));
    };
    stream.on("drain", more);
    more();
  };
}

const hugeFrame = Buffer.from([0x04, 0x01, 0, 0, 0xff, 0xff, 0xff, 0xff]);
const tooMany = Object.fromEntries(Array.from({ length: 200 }, (_, at) => [`x-${at}`, "v".repeat(60)]));

export const ROGUE_ANSWERS: Readonly<Record<string, Answer>> = {
  garbage: answer(PIECE),
  text: answer(Buffer.from("<html>it works</html>"), { "content-type": "text/html" }),
  nothing: answer(new Uint8Array(0)),
  half: answer(encodeFrame(OUTPUT, new Uint8Array(100)).subarray(0, 50)),
  hugeFrame: answer(hugeFrame),
  hugeFrameThatGoesOn: (stream) => {
    stream.respond({ ":status": 200, "content-type": CONTENT_TYPE });
    stream.write(hugeFrame);
    const more = (): void => {
      while (!stream.destroyed && stream.write(PIECE));
    };
    stream.on("drain", more);
    more();
  },
  endlessGarbage: endless(PIECE),
  endlessUnknown: endless(Buffer.from(encodeFrame(0x7c01, new Uint8Array(10)))),
  endlessOutputs: endless(Buffer.from(encodeFrame(OUTPUT, new Uint8Array(10)))),
  endlessState: endless(Buffer.concat(Array.from({ length: 1000 }, () => setState))),
  endlessAwaiting: endless(Buffer.from(encodeFrame(AWAITING_ON, new Uint8Array(0)))),
  silent: () => undefined,
  silentAfterHead: (stream) => stream.respond({ ":status": 200, "content-type": CONTENT_TYPE }),
  drips: (stream) => {
    stream.respond({ ":status": 200, "content-type": CONTENT_TYPE });
    const drip = setInterval(() => stream.write(Buffer.from([4])), 30);
    stream.once("close", () => clearInterval(drip));
  },
  packed: answer(gzipSync(Buffer.from(encodeFrame(END, new Uint8Array(0)))), { "content-encoding": "gzip" }),
  endWithoutOutput: answer(encodeFrame(END, new Uint8Array(0))),
  notification: answer(encodeFrame(0x800c, new Uint8Array(0))),
  broken: answer(Buffer.concat([encodeFrame(OUTPUT, Buffer.alloc(20, 0xff)), encodeFrame(END, new Uint8Array(0))])),
  reset: (stream) => stream.close(2),
  resetInTheMiddle: (stream) => {
    stream.respond({ ":status": 200, "content-type": CONTENT_TYPE });
    stream.write(encodeFrame(OUTPUT, new Uint8Array(100)).subarray(0, 50), () => stream.close(2));
  },
  connectionGone: (stream) => stream.session?.destroy(),
  status500: answer(Buffer.from("oops"), { ":status": 500 }),
  status404: answer(new Uint8Array(0), { ":status": 404 }),
  status413: answer(new Uint8Array(0), { ":status": 413 }),
  status415: answer(new Uint8Array(0), { ":status": 415 }),
  throttled: answer(new Uint8Array(0), { ":status": 429, "retry-after": "never" }),
  manyHeaders: answer(new Uint8Array(0), tooMany),
};

/** Only silent handlers have a short abort timeout; on a busy machine it would abort the others. */
const SILENT = ["silent", "silentAfterHead"];
const ABORT_AFTER_MS = 2_000;

export async function startRogue(): Promise<Listening> {
  const handlers = Object.keys(ROGUE_ANSWERS).map((name) => ({
    name,
    ...(SILENT.includes(name) && { abortTimeout: ABORT_AFTER_MS }),
  }));
  const manifest = JSON.stringify(manifestOf([{ name: "Rogue", ty: "SERVICE", handlers }]));
  const server = createServer();
  server.on("stream", (stream: ServerHttp2Stream, headers) => {
    stream.on("error", () => undefined);
    const path = String(headers[":path"]);
    if (path === "/discover") {
      stream.respond({ ":status": 200, "content-type": "application/vnd.restate.endpointmanifest.v4+json" });
      stream.end(manifest);
      return;
    }
    stream.resume().once("end", () => {
      if (!stream.destroyed) ROGUE_ANSWERS[path.split("/").at(-1)!]!(stream);
    });
  });
  server.on("session", (session) => session.on("error", () => undefined));
  return listen(server);
}
