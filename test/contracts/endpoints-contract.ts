/** The contract of the endpoints port, for exchanges that stream both ways. */
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import {
  TransportError,
  type Endpoints,
  type Exchange,
  type ExchangeRequest,
} from "../../shared/engine/ports/endpoints.ts";
import { afterAll, cut, echo, startPeer, type Answer, type Peer, type PeerKind } from "../harness/https/peer.ts";

export interface EndpointsSubject {
  readonly endpoints: Endpoints;
  readonly close: () => void;
}

export function requestTo(uri: string, kind: PeerKind, change: Partial<ExchangeRequest> = {}): ExchangeRequest {
  return {
    destination: { uri, httpVersion: kind.startsWith("h2") ? "h2" : "http1.1" },
    method: "POST",
    path: "/invoke/Greeter/greet",
    headers: { "content-type": "application/vnd.restate.invocation.v6" },
    body: [],
    halfClose: true,
    ...change,
  };
}

/** All bytes until the end. */
export async function readAll(exchange: Exchange): Promise<Buffer> {
  const parts: Uint8Array[] = [];
  for (let part = await exchange.next(); part !== undefined; part = await exchange.next()) parts.push(part);
  return Buffer.concat(parts);
}

/** The reason with which a promise rejects; for any other outcome a text that equals no reason. */
export async function reasonOf(promise: Promise<unknown>): Promise<string> {
  const outcome = await promise.then(
    () => "no failure",
    (error: unknown) => error,
  );
  return outcome instanceof TransportError ? outcome.reason : `not a TransportError: ${String(outcome)}`;
}

/** Bytes that differ from their neighbours. */
export function pattern(size: number): Uint8Array {
  const bytes = new Uint8Array(size);
  for (let i = 0; i < size; i += 1) bytes[i] = (i * 31 + (i >> 8) * 7) & 255;
  return bytes;
}

/** A promise, and the function that fulfils it. */
function signal<T = void>(): { readonly seen: Promise<T>; readonly give: (value: T) => void } {
  let give: (value: T) => void = () => {};
  const seen = new Promise<T>((resolve) => (give = resolve));
  return { seen, give };
}

export function endpointsContract(kind: PeerKind, make: () => EndpointsSubject): void {
  describe(`exchanges over ${kind}`, () => {
    let subject: EndpointsSubject;
    let peers: Peer[];
    const peer = async (answer: Answer, port?: number): Promise<Peer> => {
      const started = await startPeer(kind, answer, port);
      peers.push(started);
      return started;
    };
    const open = (uri: string, change?: Partial<ExchangeRequest>): Exchange =>
      subject.endpoints.open(requestTo(uri, kind, change));

    beforeEach(() => {
      subject = make();
      peers = [];
    });
    afterEach(async () => {
      subject.close();
      await Promise.all(peers.map((one) => one.stop()));
    });

    describe("whole exchanges", () => {
      test.each([0, 1, 65_535, 5 * 1024 * 1024])("a body of %i bytes goes out and comes back", async (size) => {
        const { uri } = await peer(echo);
        const body = pattern(size);
        const exchange = open(uri, { body: [body.subarray(0, size >> 1), body.subarray(size >> 1)] });
        expect(await exchange.head()).toMatchObject({ status: 200, httpVersion: kind.split(" ")[0] });
        expect((await readAll(exchange)).equals(body)).toBe(true);
        expect(await exchange.next()).toBeUndefined();
      });

      test("the path of a request goes between path and query of the registered URI, and headers arrive unchanged", async () => {
        const seen = signal<Record<string, unknown>>();
        const { uri } = await peer((request, response) => {
          seen.give({ method: request.method, url: request.url, ...request.headers });
          response.writeHead(404, { "X-Many": ["a", "b"], "set-cookie": ["c=1", "d=2"] }).end();
        });
        const headers = { accept: "x/y", "x-restate-invocation-id": "inv_1" };
        const exchange = open(`${uri}/a/b/?tenant=1`, { method: "GET", path: "/discover", headers });
        const head = await exchange.head();
        expect(head.status).toBe(404);
        expect(head.headers).toMatchObject({ "x-many": "a, b", "set-cookie": "c=1, d=2" });
        expect(await seen.seen).toMatchObject({ method: "GET", url: "/a/b/discover?tenant=1", ...headers });
        expect(await exchange.next()).toBeUndefined();
      });

      test("the peer can wait for the end of the request before it answers", async () => {
        const { uri } = await peer(afterAll((body) => `got ${body.length}`));
        const exchange = open(uri, { body: [pattern(10), pattern(20)] });
        expect((await readAll(exchange)).toString()).toBe("got 30");
      });

      test("bytes arrive in order, and before the end of the answer", async () => {
        const next = [signal(), signal()] as const;
        const { uri } = await peer((request, response) => {
          request.resume();
          response.writeHead(200).write("one");
          void next[0].seen.then(() => response.write("two"));
          void next[1].seen.then(() => response.end("three"));
        });
        const exchange = open(uri);
        expect(Buffer.from((await exchange.next()) ?? []).toString()).toBe("one");
        next[0].give();
        expect(Buffer.from((await exchange.next()) ?? []).toString()).toBe("two");
        next[1].give();
        expect((await readAll(exchange)).toString()).toBe("three");
      });
    });

    describe("open exchanges", () => {
      test("an answer begins while the request is open, and the caller writes more after that", async () => {
        const { uri } = await peer(echo);
        const exchange = open(uri, { body: [Buffer.from("a")], halfClose: false });
        expect((await exchange.head()).status).toBe(200);
        expect(Buffer.from((await exchange.next()) ?? []).toString()).toBe("a");
        exchange.write(Buffer.from("b"));
        expect(Buffer.from((await exchange.next()) ?? []).toString()).toBe("b");
        exchange.halfClose();
        expect(await exchange.next()).toBeUndefined();
      });

      test("bytes written before the connection opens arrive after the body", async () => {
        const { uri } = await peer(afterAll((body) => body));
        const exchange = open(uri, { body: [Buffer.from("a")], halfClose: false });
        exchange.write(Buffer.from("b"));
        exchange.write(Buffer.from("c"));
        exchange.halfClose();
        exchange.halfClose();
        exchange.write(Buffer.from("too late"));
        expect((await readAll(exchange)).toString()).toBe("abc");
      });
    });

    describe("breaks", () => {
      test("an abort reaches the peer and rejects pending reads", async () => {
        const asked = signal();
        const left = signal();
        const { uri } = await peer((request, response) => {
          response.on("close", left.give);
          request.on("error", () => {}).resume();
          response.writeHead(200).write("x");
          asked.give();
        });
        const exchange = open(uri, { halfClose: false });
        await asked.seen;
        await exchange.next();
        const pending = reasonOf(exchange.next());
        exchange.abort();
        expect(await pending).toBe("aborted");
        expect(await reasonOf(exchange.next())).toBe("aborted");
        await left.seen;
      });

      test("without an answer the head stays pending until the abort", async () => {
        const asked = signal();
        const { uri } = await peer(() => asked.give());
        const exchange = open(uri);
        let settled = false;
        const head = reasonOf(exchange.head()).finally(() => (settled = true));
        await asked.seen;
        await new Promise((resolve) => setTimeout(resolve, 20));
        expect(settled).toBe(false);
        exchange.abort();
        expect(await head).toBe("aborted");
      });

      test("an exchange that is aborted before its connection opens rejects, and the next exchange works", async () => {
        const { uri } = await peer(echo);
        const exchange = open(uri);
        exchange.abort();
        exchange.abort();
        expect(await reasonOf(exchange.head())).toBe("aborted");
        expect((await readAll(open(uri, { body: [Buffer.from("ok")] }))).toString()).toBe("ok");
      });

      test("an abort after the end is harmless", async () => {
        const { uri } = await peer(echo);
        const exchange = open(uri, { body: [Buffer.from("ok")] });
        await readAll(exchange);
        exchange.abort();
        expect(await exchange.next()).toBeUndefined();
        expect((await exchange.head()).status).toBe(200);
      });

      test("bytes received before a break are delivered, then the exchange rejects as broken", async () => {
        const arrived = signal();
        const { uri } = await peer((request, response) => {
          request.on("error", () => {}).resume();
          response.writeHead(200).write("before");
          void arrived.seen.then(() => cut(response));
        });
        const exchange = open(uri);
        await exchange.head();
        arrived.give();
        await reasonOf(exchange.head());
        expect(Buffer.from((await exchange.next()) ?? []).toString()).toBe("before");
        expect(await reasonOf(exchange.next())).toBe("broken");
        expect(await reasonOf(exchange.next())).toBe("broken");
        expect((await exchange.head()).status).toBe(200);
      });

      test("a break before the answer rejects the head as broken", async () => {
        const { uri } = await peer((request, response) => {
          request.on("error", () => {});
          cut(response);
        });
        const exchange = open(uri);
        expect(await reasonOf(exchange.head())).toBe("broken");
        expect(await reasonOf(exchange.next())).toBe("broken");
      });

      test("a closed port is unreachable", async () => {
        const gone = await peer(echo);
        await gone.stop();
        expect(await reasonOf(open(gone.uri).head())).toBe("unreachable");
      });
    });

    describe("connections", () => {
      test("fifty exchanges in a row use one connection", async () => {
        const { uri, connections } = await peer(echo);
        for (let i = 0; i < 50; i += 1) {
          expect((await readAll(open(uri, { body: [Buffer.from(`n${i}`)] }))).toString()).toBe(`n${i}`);
        }
        expect(connections()).toBe(1);
      });

      test("two hundred simultaneous exchanges get their own answers", async () => {
        const { uri } = await peer(echo);
        const bodies = Array.from({ length: 200 }, (_, i) => Buffer.alloc(1024, `body ${i} `));
        const answers = await Promise.all(bodies.map((body) => readAll(open(uri, { body: [body] }))));
        expect(answers.every((answer, i) => answer.equals(bodies[i] ?? Buffer.alloc(0)))).toBe(true);
      });

      test("a restart of the peer breaks at most one exchange", async () => {
        const first = await peer(echo);
        await readAll(open(first.uri, { body: [Buffer.from("a")] }));
        await first.stop();
        const second = await peer(echo, first.port);
        const met = await readAll(open(second.uri, { body: [Buffer.from("b")] })).then(String, (error: unknown) =>
          error instanceof TransportError ? error.reason : error,
        );
        expect(["b", "broken"]).toContain(met);
        expect((await readAll(open(second.uri, { body: [Buffer.from("c")] }))).toString()).toBe("c");
        expect(second.connections()).toBe(1);
      });

      test("a peer that sends faster than we read is paused, and no byte is lost", async () => {
        const totalBytes = 48 * 1024 * 1024;
        const part = Buffer.alloc(64 * 1024, 7);
        let sentBytes = 0;
        const { uri } = await peer((request, response) => {
          request.resume();
          const send = (): void => {
            while (sentBytes < totalBytes) {
              sentBytes += part.length;
              if (!response.write(part)) return void response.once("drain", send);
            }
            response.end();
          };
          send();
        });
        const exchange = open(uri);
        await exchange.head();
        for (let before = -1; before !== sentBytes;) {
          before = sentBytes;
          await new Promise((resolve) => setTimeout(resolve, 150));
        }
        expect(sentBytes).toBeLessThan(totalBytes / 2);
        expect(await readAll(exchange)).toHaveLength(totalBytes);
      });
    });
  });
}
