/** HTTP as bytes on a socket, for requests that no client library would send. */
import { once } from "node:events";
import { connect as connectHttp2, type IncomingHttpHeaders } from "node:http2";
import { connect, type Socket } from "node:net";
import { accessOf } from "./admin-access.ts";

export interface RawAnswer {
  readonly status: number;
  /** The headers in order, with their names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Opens a connection and ignores its errors: an error also closes the connection, and tests look at the close. */
export async function openSocket(port: number): Promise<Socket> {
  const socket = connect(port, "127.0.0.1");
  socket.on("error", () => undefined);
  await once(socket, "connect");
  return socket;
}

/** @returns the head of a request as bytes of the wire, with the empty line */
export function head(line: string, headers: Readonly<Record<string, string>> = {}): string {
  const lines = Object.entries({ host: "localhost", ...headers }).map(([name, value]) => `${name}: ${value}\r\n`);
  return `${line} HTTP/1.1\r\n${lines.join("")}\r\n`;
}

/** Sends bytes as latin-1, and reads until the other side closes. */
export async function exchange(port: number, ...pieces: readonly (string | Buffer)[]): Promise<string> {
  const socket = await openSocket(port);
  let text = "";
  socket.on("data", (piece) => (text += piece.toString("latin1")));
  const closed = new Promise<void>((resolve) => void socket.once("close", () => resolve()));
  for (const piece of pieces) socket.write(typeof piece === "string" ? Buffer.from(piece, "latin1") : piece);
  await closed;
  return text;
}

/** Reads the next response on an open connection, however its bytes are split. @throws Error if the other side closes first */
export function nextAnswer(socket: Socket): Promise<RawAnswer> {
  let text = "";
  return new Promise((resolve, reject) => {
    const onClose = (): void => reject(new Error(`closed behind ${JSON.stringify(text)}`));
    const onData = (piece: Buffer): void => {
      text += piece.toString("latin1");
      const at = text.indexOf("\r\n\r\n");
      const length = Number(/\r\ncontent-length: (\d+)\r\n/i.exec(text)?.[1] ?? 0);
      if (at < 0 || text.length < at + 4 + length) return;
      socket.off("data", onData).off("close", onClose);
      resolve(parseAnswers(text)[0]!);
    };
    socket.on("data", onData).once("close", onClose);
  });
}

/** Makes one request on its own connection, with the token of a local process of this test unless the headers have another. */
export async function ask(
  port: number,
  line: string,
  headers: Readonly<Record<string, string>> = {},
  body: string | Buffer = "",
): Promise<RawAnswer> {
  const sized = body.length > 0 && !("transfer-encoding" in headers) && !("content-length" in headers);
  const length = sized ? { "content-length": String(Buffer.byteLength(body, "latin1")) } : {};
  const access = { ...accessOf(`http://127.0.0.1:${port}`), ...headers };
  const text = await exchange(port, head(line, { connection: "close", ...length, ...access }), body);
  return parseAnswers(text, line.startsWith("HEAD "))[0]!;
}

/** Parses all responses of a connection, informational ones too. */
export function parseAnswers(text: string, withoutBody = false): RawAnswer[] {
  const answers: RawAnswer[] = [];
  for (let rest = text; rest !== "";) {
    const at = rest.indexOf("\r\n\r\n");
    if (at < 0) throw new Error(`no head: ${rest}`);
    const [first, ...lines] = rest.slice(0, at).split("\r\n") as [string, ...string[]];
    const headers = Object.fromEntries(
      lines.map((line) => {
        const colon = line.indexOf(":");
        return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
      }),
    );
    const length = withoutBody ? 0 : Number(headers["content-length"] ?? 0);
    const from = at + 4;
    answers.push({ status: Number(first.split(" ")[1]), headers, body: rest.slice(from, from + length) });
    rest = rest.slice(from + length);
  }
  return answers;
}

/** Makes one request over HTTP/2 with prior knowledge. */
export async function askHttp2(
  uri: string,
  headers: IncomingHttpHeaders,
  body?: Uint8Array,
): Promise<{ readonly headers: IncomingHttpHeaders; readonly body: string }> {
  const session = connectHttp2(uri);
  session.on("error", () => undefined);
  try {
    const method = body === undefined ? "GET" : "POST";
    const stream = session.request({ ":method": method, ...accessOf(uri), ...headers });
    stream.on("error", () => undefined);
    const answered = once(stream, "response") as Promise<[IncomingHttpHeaders]>;
    stream.end(body);
    const [answer] = await answered;
    let text = "";
    for await (const piece of stream) text += String(piece);
    return { headers: answer, body: text };
  } finally {
    session.destroy();
  }
}

/** The preface of every HTTP/2 connection. */
export const PREFACE = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

/** @returns a frame of HTTP/2, with the numbers of its type and flags */
export function frame(type: number, flags: number, stream: number, payload: Buffer = Buffer.alloc(0)): Buffer {
  const start = Buffer.alloc(9);
  start.writeUIntBE(payload.length, 0, 3);
  start[3] = type;
  start[4] = flags;
  start.writeUInt32BE(stream, 5);
  return Buffer.concat([start, payload]);
}
