/** Bad input at the ingress over HTTP/1.1, row by row. */
import { randomBytes } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { ask, exchange, head, openSocket } from "../harness/local/raw-http.ts";

/** `act` resolves when the ingress has answered or closed the connection; it throws on a wrong outcome. */
export type BadRow = readonly [what: string, act: (port: number) => Promise<void>];

const BINARY_TYPE = { "content-type": "application/octet-stream" };
const CHUNKED = { ...BINARY_TYPE, "transfer-encoding": "chunked" };
const DRIP_EVERY_MS = 20;

/** Sends the bytes, and requires one of these statuses; 0 means a closed connection. */
function refused(statuses: readonly number[], ...pieces: readonly (string | Buffer)[]): BadRow[1] {
  return async (port) => {
    const text = await exchange(port, ...pieces);
    const status = text === "" ? 0 : Number(text.split(" ")[1]);
    if (!statuses.includes(status)) throw new Error(`answered ${status}: ${text.slice(0, 200)}`);
  };
}

function many(times: number, act: (port: number, at: number) => Promise<void>): BadRow[1] {
  return async (port) => {
    await Promise.all(Array.from({ length: times }, (_, at) => act(port, at)));
  };
}

/** Sends byte after byte until the ingress closes the connection. */
function dripped(start: string, next: () => string): BadRow[1] {
  return many(20, async (port) => {
    const socket = await openSocket(port);
    let isOver = false;
    socket.resume().once("close", () => (isOver = true));
    for (socket.write(start); !isOver; await sleep(DRIP_EVERY_MS)) socket.write(next());
  });
}

/** Sends the bytes and destroys the connection. */
function leaving(text: string, afterMs = 0): BadRow[1] {
  return many(100, async (port) => {
    const socket = await openSocket(port);
    socket.write(text);
    if (afterMs > 0) await sleep(afterMs);
    const closed = new Promise<void>((resolve) => void socket.once("close", () => resolve()));
    socket.resetAndDestroy();
    await closed;
  });
}

async function connections(port: number, count: number): Promise<void> {
  const closed: Promise<void>[] = [];
  for (let at = 0; at < count; at++) {
    const socket = await openSocket(port);
    if (at % 2 === 0) socket.write("POST /Greeter/ec");
    closed.push(new Promise((resolve) => void socket.resume().once("close", () => resolve())));
  }
  await Promise.all(closed);
}

const length = (bytes: number): Record<string, string> => ({ ...BINARY_TYPE, "content-length": String(bytes) });

/** Rows that end as soon as the bytes have arrived. */
export const INGRESS_ROWS: readonly BadRow[] = [
  ["random bytes", refused([400], randomBytes(70_000))],
  ["bytes of zero", refused([400], Buffer.alloc(70_000))],
  ["a greeting in TLS", refused([400], Buffer.from("16030100c8010000c40303", "hex"), Buffer.alloc(300))],
  ["a version that is not spoken", refused([400], "GET / HTTP/3.7\r\n\r\n")],
  ["control characters in the path", refused([400], "POST /Greeter/e\x01cho HTTP/1.1\r\nhost: x\r\n\r\n")],
  ["a path of 100 KB", refused([431, 0], `POST /${"p".repeat(100_000)} HTTP/1.1\r\nhost: x\r\n\r\n`)],
  ["a header of 1 MB", refused([431, 0], `POST /x/y HTTP/1.1\r\nhost: x\r\na: ${"v".repeat(1_000_000)}\r\n\r\n`)],
  ["100,000 headers", refused([431, 0], `POST /x/y HTTP/1.1\r\nhost: x\r\n${"a: b\r\n".repeat(100_000)}\r\n`)],
  [
    "two lengths",
    refused([400], head("POST /Greeter/echo", length(1)).replace("\r\n\r\n", "\r\ncontent-length: 2\r\n\r\nab")),
  ],
  [
    "a length and chunks",
    refused([400], head("POST /Greeter/echo", { ...CHUNKED, "content-length": "3" }), "0\r\n\r\n"),
  ],
  ["a length that is no number", refused([400], head("POST /Greeter/echo", { "content-length": "-1" }))],
  [
    "a length beyond all numbers",
    refused([400, 413], head("POST /Greeter/echo", { "content-length": "9".repeat(30) })),
  ],
  ["a chunk size beyond all numbers", refused([400, 0], head("POST /Greeter/echo", CHUNKED), `${"F".repeat(17)}\r\nx`)],
  ["a chunk size that is no number", refused([400, 0], head("POST /Greeter/echo", CHUNKED), "zz\r\nx")],
  ["a header folded over lines", refused([400], "GET /x/y HTTP/1.1\r\nhost: x\r\na: b\r\n c\r\n\r\n")],
  ["a header name with a space", refused([400], "GET /x/y HTTP/1.1\r\nhost : x\r\n\r\n")],
  ["an unknown expectation", refused([417], head("POST /Greeter/echo", { expect: "magic", connection: "close" }))],
  [
    "bodies over the limit, with and without a declared length",
    many(20, async (port, at) => {
      const body = Buffer.alloc(2_000_000);
      const told = at % 2 === 0;
      const pieces = told ? [body] : [`${body.length.toString(16)}\r\n`, body, "\r\n0\r\n\r\n"];
      const headers = told ? length(body.length) : { ...CHUNKED, connection: "close" };
      await refused([413], head("POST /Greeter/echo", headers), ...pieces)(port);
    }),
  ],
  ["clients that disconnect in the middle of a head", leaving("POST /Greeter/echo HTTP/1.1\r\nho")],
  ["clients that disconnect in the middle of a body", leaving(`${head("POST /Greeter/echo", length(1000))}abc`)],
  ["clients that disconnect in the middle of a chunk", leaving(`${head("POST /Greeter/echo", CHUNKED)}10\r\nabc`, 5)],
  [
    "bodies that are not JSON",
    refused([500], head("POST /restate/lookup", { ...length(4), connection: "close" }), "\xff\xfe{}"),
  ],
  [
    "JSON that is deep",
    async (port) => {
      const { status } = await ask(port, "POST /restate/lookup", {}, `${"[".repeat(40_000)}${"]".repeat(40_000)}`);
      if (status !== 500) throw new Error(`answered ${status}`);
    },
  ],
  [
    "durations of many characters",
    refused([400], head(`POST /Greeter/echo/send?delay=${"1s".repeat(3_000)}`, { connection: "close" })),
  ],
  [
    "escapes that are no UTF-8",
    refused([400], head(`POST /Counter/${"%ff%c3%28".repeat(500)}/add`, { connection: "close" })),
  ],
  [
    "results for an unknown invocation",
    many(50, async (port) => {
      const id = `sign_1${"A".repeat(38)}`;
      const { status } = await ask(port, `POST /restate/a/${id}/resolve`, {}, "x".repeat(1000));
      if (status !== 202) throw new Error(`answered ${status}`);
    }),
  ],
];

/** Rows that end only after a time limit of the ingress. */
export const SLOW_CLIENT_ROWS: readonly BadRow[] = [
  ["a head that drips", dripped("POST /Greeter/echo HTTP/1.1\r\nhost: x\r\n", () => "a")],
  ["headers that drip", dripped("POST /Greeter/echo HTTP/1.1\r\nhost: x\r\n", () => "a: b\r\n")],
  ["a body that drips", dripped(head("POST /Greeter/echo", length(1000)), () => "x")],
  ["chunks that drip", dripped(head("POST /Greeter/echo", CHUNKED), () => "1\r\nx\r\n")],
  ["a body that never comes", dripped(head("POST /Greeter/echo", length(1000)), () => "")],
  ["a connection that says nothing", dripped("", () => "")],
  ["half of a preface", dripped("PRI * HT", () => "")],
  ["2,000 connections", (port) => connections(port, 2_000)],
];
