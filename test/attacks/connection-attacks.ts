/** Attacks on the connection itself, over every transport: floods that carry nothing, and a large answer that stays unread. */
import type { Socket } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import type { PeerKind } from "../harness/https/peer.ts";
import { frame } from "../harness/local/raw-http.ts";
import { SEEN_WITHIN_MS } from "../patience.ts";
import { ask, send, statement } from "./asking.ts";
import type { Attack, Scene } from "./attack.ts";
import { always, message, output, CODE } from "./messages.ts";
import { data, earlyHints, okHead, unknownFrame, writeRepeatedly } from "./raw-peer.ts";

const SETTINGS = 4;
const STRIKE_MS = 4_000;
const PIECE_BYTES = 64 * 1024;
/** Above the limit of a message, and above the memory that Node's server allows for the unsent content of a connection. */
const TOO_LARGE = Buffer.alloc(40 * 1024 * 1024, 0x61);
const LATER_CALLS = 30;
const CONTENT_TYPE = "application/vnd.restate.invocation.v7";

const never = always(() => output("never"));
const ascii = (text: string): Buffer => Buffer.from(text, "latin1");

/** The first bytes of a message of 30 MB: its code, no flags, and its size. */
const BEGUN = Buffer.alloc(8);
BEGUN.writeUInt16BE(CODE.output, 0);
BEGUN.writeUInt32BE(30_000_000, 4);

interface Flood {
  /** The bytes before the flood; none if absent. */
  readonly head?: Buffer;
  readonly unit: Buffer;
}

/** All on stream 1, the first one of each connection. */
const OVER_HTTP2: readonly Flood[] = [
  { unit: earlyHints(1) },
  { unit: frame(0x0c, 0, 0, Buffer.alloc(64)) },
  { unit: frame(0x0a, 0, 0, Buffer.concat([Uint8Array.of(0, 0), ascii('h2=":1"')])) },
  { unit: unknownFrame(1, 16_000) },
  { head: okHead(1), unit: data(1, Buffer.alloc(0)) },
  {
    head: Buffer.concat([okHead(1), data(1, BEGUN)]),
    unit: Buffer.concat([data(1, Buffer.alloc(1)), unknownFrame(1, 4_000)]),
  },
];
const CHUNKED = Buffer.concat([
  ascii(`HTTP/1.1 200 OK\r\ncontent-type: ${CONTENT_TYPE}\r\ntransfer-encoding: chunked\r\n\r\n8\r\n`),
  BEGUN,
  ascii("\r\n"),
]);
const OVER_HTTP1: readonly Flood[] = [
  { unit: ascii("HTTP/1.1 100 Continue\r\n\r\n") },
  { unit: ascii("HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n") },
  { unit: ascii("HTTP/1.1 102 Processing\r\n\r\n") },
  { head: CHUNKED, unit: ascii("1\r\n\0\r\n") },
  { head: CHUNKED, unit: ascii(`1;${"a".repeat(4_000)}\r\n\0\r\n`) },
];

export const CONNECTION_ATTACKS: readonly Attack[] = [
  ...overEach((kind, at) => ({
    name: `C${at}`,
    title: `heads, frames and bytes that carry nothing do not keep the process busy, over ${kind}`,
    transport: kind,
    answers: { floods: never },
    options: { retryPolicyInitialInterval: 100, retryPolicyMaxInterval: 100 },
    strike: (scene) => flooding(scene, kind.startsWith("h2") ? OVER_HTTP2 : OVER_HTTP1),
  })),
  ...overEach((kind, at) => ({
    name: `C${4 + at}`,
    title: `a message above the limit fails its own invocation alone, over ${kind}`,
    transport: kind,
    answers: { large: never, fine: never },
    options: { retryPolicyInitialInterval: 100, retryPolicyMaxInterval: 100, retryPolicyMaxAttempts: 3 },
    strike: largeAnswers,
  })),
];

function overEach(make: (kind: PeerKind, at: number) => Attack): Attack[] {
  const kinds: readonly PeerKind[] = ["h2 in the clear", "h2 over TLS", "http1.1 in the clear", "http1.1 over TLS"];
  return kinds.map((kind, at) => make(kind, at + 1));
}

/** Each connection gets the next kind of flood, and the invocations are as many as the kinds. */
async function flooding(scene: Scene, floods: readonly Flood[]) {
  let connections = 0;
  let isOver = false;
  const server = scene.socketServer((socket) => {
    const flood = floods[connections++ % floods.length]!;
    if (floods === OVER_HTTP2) socket.write(frame(SETTINGS, 0, 0));
    socket.once("data", () => void floodOn(socket, flood, () => isOver));
    socket.resume();
  });
  await scene.replaceServer(server);
  const accepted: string[] = [];
  for (let at = 0; at < floods.length; at++) accepted.push(await send(scene, "floods"));
  await pause(STRIKE_MS);
  const complaints: string[] = [];
  for (const id of accepted) {
    const failure = await failureOf(scene, id);
    if (!failure.includes("RT0012") || !failure.includes("floods"))
      complaints.push(`an attempt that floods ended with ${failure}`);
  }
  isOver = true;
  return { accepted, complaints, notes: { connections } };
}

async function floodOn(socket: Socket, { head, unit }: Flood, isOver: () => boolean): Promise<void> {
  // A request of HTTP/2 may come behind the preface, and frames on its stream only after it.
  await pause(30);
  if (head !== undefined) socket.write(head);
  const piece = Buffer.concat(Array.from({ length: Math.ceil(PIECE_BYTES / unit.length) }, () => unit));
  while (!isOver() && !socket.destroyed) await writeRepeatedly(socket, piece, 1_000, performance.now() + 500);
  socket.destroy();
}

async function largeAnswers(scene: Scene) {
  let fine = 0;
  const server = scene.requestServer(({ url = "" }, response) => {
    const isLarge = url.endsWith("/large");
    fine += isLarge ? 0 : 1;
    response.writeHead(200, { "content-type": CONTENT_TYPE });
    response.end(isLarge ? message(CODE.output, TOO_LARGE) : output('"fine"'));
  });
  await scene.replaceServer(server);
  const complaints: string[] = [];
  const id = await send(scene, "large");
  for (let calls = 0; calls < LATER_CALLS; calls++) {
    const { status, text } = await ask(`${scene.ingressUri}/Attacker/fine`, { method: "POST" });
    if (status !== 200) complaints.push(`a call of another handler was answered with ${status}: ${text.slice(0, 200)}`);
    await pause(50);
  }
  const failure = await failureOf(scene, id);
  if (!failure.includes("RT0003")) complaints.push(`the large message ended with ${failure}`);
  if (fine !== LATER_CALLS) complaints.push(`${LATER_CALLS} calls took ${fine} attempts`);
  return { accepted: [id], complaints, notes: { fine } };
}

/** Waits for a failed attempt. @returns code and text of the last failure */
async function failureOf(scene: Scene, id: string): Promise<string> {
  const query = `SELECT last_failure_error_code, last_failure FROM sys_invocation WHERE id = '${id}'`;
  let text = "no answer";
  for (const untilMs = performance.now() + SEEN_WITHIN_MS; performance.now() < untilMs; await pause(100)) {
    ({ text } = await statement(scene, query));
    if (text.includes("RT0")) break;
  }
  return text.slice(0, 400);
}
