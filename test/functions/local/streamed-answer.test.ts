/** Tests answers in pieces over both protocols of a port of the local process. */
import { once } from "node:events";
import { request, type IncomingMessage } from "node:http";
import { connect, type ClientHttp2Stream } from "node:http2";
import { afterEach, expect, test } from "vitest";
import { openListener, type HttpListener } from "../../../functions/local/http-listener.ts";
import { until } from "../../running-processes.ts";

let listener: HttpListener | undefined;
afterEach(() => listener?.close());

/** The source of an answer: the test gives its pieces one by one. */
class Source implements AsyncIterableIterator<Uint8Array> {
  asked = 0;
  isLeft = false;
  signal: AbortSignal | undefined;
  #give: ((piece: Promise<IteratorResult<Uint8Array>>) => void) | undefined;
  readonly #make: ((at: number) => Uint8Array) | undefined;

  /** @param make a function that makes endlessly many pieces; if `make` is absent, the test gives the pieces */
  constructor(make?: (at: number) => Uint8Array) {
    this.#make = make;
  }

  next(): Promise<IteratorResult<Uint8Array>> {
    this.asked += 1;
    if (this.#make !== undefined) return Promise.resolve({ value: this.#make(this.asked), done: false });
    return new Promise((resolve, reject) => {
      this.#give = (piece) => void piece.then(resolve, reject);
    });
  }

  return(): Promise<IteratorResult<Uint8Array>> {
    this.isLeft = true;
    return Promise.resolve({ value: undefined, done: true });
  }

  async give(text: string | undefined): Promise<void> {
    await until(() => this.#give !== undefined);
    const give = this.#give!;
    this.#give = undefined;
    give(
      Promise.resolve(
        text === undefined ? { value: undefined, done: true } : { value: Buffer.from(text), done: false },
      ),
    );
  }

  async fail(): Promise<void> {
    await until(() => this.#give !== undefined);
    this.#give!(Promise.reject(new Error("no more rows")));
  }

  [Symbol.asyncIterator](): this {
    return this;
  }
}

async function opened(source: Source, unreadMs = 60_000): Promise<number> {
  listener = await openListener({
    host: "127.0.0.1",
    port: 0,
    bodyMaxBytes: 1000,
    tooLarge: () => ({ status: 413, headers: {}, body: new Uint8Array() }),
    arrival: { unreadMs },
    answer: async ({ signal }) => {
      source.signal = signal;
      return { status: 200, headers: { "content-type": "text/plain" }, body: Buffer.from("first"), rest: source };
    },
  });
  return listener.port;
}

type Reader = IncomingMessage | ClientHttp2Stream;

async function overHttp1(port: number): Promise<Reader> {
  const [response] = (await once(request({ port, agent: false }).end(), "response")) as [IncomingMessage];
  expect(response.headers["content-length"]).toBeUndefined();
  return response;
}

async function overHttp2(port: number): Promise<Reader> {
  const client = connect(`http://127.0.0.1:${port}`);
  client.on("error", () => undefined);
  const stream = client.request({ ":path": "/" });
  stream.on("error", () => undefined).once("close", () => client.destroy());
  await once(stream, "response");
  return stream;
}

const PROTOCOLS = [
  ["HTTP/1.1", overHttp1],
  ["HTTP/2", overHttp2],
] as const;

async function textIn(reader: Reader): Promise<string> {
  const [piece] = (await once(reader, "data")) as [Buffer];
  return piece.toString();
}

test.each(PROTOCOLS)("over %s each piece arrives before the next one is made", async (_name, open) => {
  const source = new Source();
  const reader = await open(await opened(source));
  expect(await textIn(reader)).toBe("first");
  const second = textIn(reader);
  await source.give("second");
  expect(await second).toBe("second");
  const ended = once(reader, "end");
  await source.give(undefined);
  reader.resume();
  await ended;
  await until(() => listener!.openRequests === 0);
  if ("complete" in reader) expect(reader.complete).toBe(true);
});

test.each(PROTOCOLS)(
  "over %s an error breaks the answer off, so that no client takes it for whole",
  async (_name, open) => {
    const source = new Source();
    const reader = await open(await opened(source));
    const failed = new Promise((resolve) => void reader.once("error", resolve).once("end", () => resolve("whole")));
    reader.resume();
    await source.fail();
    const error = await failed;
    expect(error).toBeInstanceOf(Error);
  },
);

test.each(PROTOCOLS)(
  "over %s a client that does not read stops the pieces, and is cut off after a while",
  async (_name, open) => {
    const piece = Buffer.alloc(256 * 1024);
    const source = new Source(() => piece);
    const reader = await open(await opened(source, 1_500));
    reader.pause();
    let asked = -1;
    await until(async () => {
      const isStill = asked === source.asked;
      asked = source.asked;
      await new Promise((resolve) => setTimeout(resolve, 200));
      return isStill;
    });
    expect(source.asked * piece.length).toBeLessThan(64 * 1024 * 1024);
    await until(() => source.isLeft);
    reader.destroy();
  },
);

test.each(PROTOCOLS)(
  "over %s a client that leaves ends the pieces, also while the next one is made",
  async (_name, open) => {
    const source = new Source();
    const reader = await open(await opened(source));
    reader.once("error", () => undefined);
    await textIn(reader);
    reader.destroy();
    await until(() => source.signal?.aborted === true);
  },
);
