/** The published typed client with services and awakeables, its failures and its retries, against a local process. */
import { createServer, type IncomingMessage } from "node:http";
import * as clients from "@restatedev/restate-sdk-clients";
import type { Ingress } from "@restatedev/restate-sdk-clients";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { listen, openLocalStage, type LocalStage } from "../harness/local/local-stage.ts";
import { failureOf } from "./call-failure.ts";
import { CLIENT_SERVICES, counter, done, greeter, signup } from "./client-services.ts";

const { rpc, serde } = clients;

let stage: LocalStage;
let ingress: Ingress;
let keys = 0;

beforeAll(async () => {
  stage = await openLocalStage({ services: CLIENT_SERVICES });
  ingress = connect();
});
afterAll(() => stage.close());

function connect(more: Partial<clients.ConnectionOpts> = {}): Ingress {
  return clients.connect({ url: stage.ingressUri, ...more });
}

/** The JSON serde of the client, cast to a type that `exactOptionalPropertyTypes` accepts. */
const TEXT = serde.json as clients.Serde<string>;

const newKey = (): string => `key ${++keys}`;
const service = () => ingress.serviceClient(greeter);

/** Records the headers of each request that a client sends. */
function counted(): { readonly fetch: typeof fetch; readonly headers: Headers[] } {
  const headers: Headers[] = [];
  return {
    headers,
    fetch: async (input, init) => {
      headers.push(new Headers(init?.headers));
      return fetch(input, init);
    },
  };
}

describe("a call", () => {
  it("returns the result of its handler, or undefined if the handler returns nothing", async () => {
    expect(await service().greet("Ada")).toBe("Hello Ada");
    expect(await service().nothing()).toBeUndefined();
  });

  it("carries bytes unchanged", async () => {
    const bytes = Uint8Array.from({ length: 70_000 }, (_, at) => at % 256);
    const opts = rpc.opts({ input: serde.binary, output: serde.binary });
    expect(await service().bytes(bytes, opts)).toEqual(bytes.toReversed());
    const whole = connect({ serde: serde.binary });
    expect(await whole.call({ service: "Greeter", handler: "bytes", parameter: bytes })).toEqual(bytes.toReversed());
  });

  it("uses the codec of the client in both directions", async () => {
    const flip = (bytes: Uint8Array): Uint8Array => bytes.toReversed();
    const codec = { encode: flip, decode: async (bytes: Uint8Array) => flip(bytes) };
    const coded = connect({ journalValueCodec: codec, serde: serde.binary });
    const bytes = new Uint8Array([1, 2, 3]);
    expect(await coded.call({ service: "Greeter", handler: "bytes", parameter: bytes })).toEqual(flip(bytes));
  });

  it("sends the headers of the call and of the connection, and the call's take precedence", async () => {
    const withHeaders = connect({ headers: { "x-first": "of the connection", "x-second": "of the connection" } });
    const opts = rpc.opts<string, string | null>({ headers: { "x-second": "of the call" } });
    const client = withHeaders.serviceClient(greeter);
    expect(await client.header("x-first", opts)).toBe("of the connection");
    expect(await client.header("x-second", opts)).toBe("of the call");
    expect(await client.header("x-restateclient-retry-attempt", opts)).toBe("1");
  });

  it("runs its handler once under an idempotency key", async () => {
    const name = newKey();
    const opts = rpc.opts<string, string>({ idempotencyKey: name });
    expect(await Promise.all([service().greet(name, opts), service().greet(name, opts)])).toEqual(
      Array(2).fill(`Hello ${name}`),
    );
    expect(await service().greet("somebody else", opts)).toBe(`Hello ${name}`);
    expect(done.greeted.filter((greeted) => greeted === name)).toEqual([name]);
  });

  it("works by names too", async () => {
    const generic = ingress.call<string, string>({
      service: "Greeter",
      handler: "greet",
      parameter: "by name",
      opts: rpc.opts<string, string>({ input: TEXT, output: TEXT }),
    });
    expect(await generic).toBe("Hello by name");
  });

  it("works by a descriptor too", async () => {
    const described = clients.connect({ url: stage.ingressUri }).client({
      name: "Greeter",
      _kind: "service",
      _handlers: { greet: { _inputSerde: serde.json, _outputSerde: serde.json } },
    } as never) as unknown as { greet(name: string): Promise<string> };
    expect(await described.greet("described")).toBe("Hello described");
  });

  it("is ended by its timeout or its signal, and the invocation goes on", async () => {
    const name = newKey();
    const started = new Promise<void>((resolve) => (done.opened = resolve));
    const giveUp = new AbortController();
    const opts = { idempotencyKey: name, signal: giveUp.signal };
    const given = service().wait(name, rpc.opts(opts));
    await started;
    giveUp.abort();
    await expect(given).rejects.toMatchObject({ name: "AbortError" });
    const late = service().wait(name, rpc.opts({ idempotencyKey: name, timeout: 50 }));
    await expect(late).rejects.toMatchObject({ name: "TimeoutError" });
    await ingress.resolveAwakeable(done.awakeables.get(name)!, "still there");
    expect(await service().wait(name, rpc.opts({ idempotencyKey: name }))).toBe("still there");
  });
});

describe("a send", () => {
  it("is accepted, or previously accepted if its key is known", async () => {
    const opts = rpc.sendOpts<string>({ idempotencyKey: newKey() });
    const sender = ingress.serviceSendClient(greeter);
    const first = await sender.greet("sent", opts);
    expect(first).toMatchObject({
      invocationId: expect.stringMatching(/^inv_1/),
      status: "Accepted",
      attachable: true,
    });
    const second = await sender.greet("other", opts);
    expect(second).toEqual({ ...first, status: "PreviouslyAccepted" });
    expect(await ingress.result(first)).toBe("Hello sent");
  });

  it("can be delayed, and still be attached to", async () => {
    const opts = rpc.sendOpts<string>({ idempotencyKey: newKey(), delay: 60 });
    const sent = (await ingress.serviceSendClient(greeter).greet("late", opts)) as clients.Send<string> & {
      executionTime: string;
    };
    expect(sent.executionTime).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{9})?Z$/);
    expect(await ingress.result(sent)).toBe("Hello late");
  });

  it("without a key can be attached to by its id", async () => {
    const sent = await ingress.send({ service: "Greeter", handler: "greet", parameter: new Uint8Array([34, 34]) });
    expect(sent).toMatchObject({ status: "Accepted", attachable: false });
    const response = await fetch(`${stage.ingressUri}/restate/invocation/${sent.invocationId}/attach`);
    expect(response.status).toBe(200);
  });

  it("returns its result with the given serde", async () => {
    const opts = rpc.sendOpts<Uint8Array>({ idempotencyKey: newKey(), input: serde.binary });
    const sent = await ingress.serviceSendClient(greeter).bytes(new Uint8Array([1, 2]), opts);
    expect(await ingress.result(sent, serde.binary)).toEqual(new Uint8Array([2, 1]));
  });
});

describe("an awakeable", () => {
  async function waiting(name: string): Promise<{ readonly id: string; readonly result: PromiseLike<unknown> }> {
    const opened = new Promise<void>((resolve) => (done.opened = resolve));
    const result = service().wait(name);
    // Without this handler, a rejection would be unhandled until the test reads the result.
    result.then(undefined, () => undefined);
    await opened;
    return { id: done.awakeables.get(name)!, result };
  }

  it("is resolved with a value", async () => {
    const { id, result } = await waiting(newKey());
    await ingress.resolveAwakeable(id, { any: ["value", null] });
    expect(await result).toEqual({ any: ["value", null] });
  });

  it("is resolved with the given serde, once", async () => {
    const { id, result } = await waiting(newKey());
    await ingress.resolveAwakeable(id, new TextEncoder().encode('"raw"'), serde.binary);
    await ingress.resolveAwakeable(id, "too late");
    expect(await result).toBe("raw");
  });

  it("is rejected with a reason", async () => {
    const { id, result } = await waiting(newKey());
    await ingress.rejectAwakeable(id, "not today");
    expect(await failureOf(result)).toMatchObject({
      status: 500,
      body: { code: 500, message: "not today", source: "invocation" },
    });
  });

  it("of an invalid form is refused", async () => {
    const refused = await failureOf(ingress.resolveAwakeable("bogus", 1));
    expect(refused).toMatchObject({ status: 400, body: { message: "bad awakeable id 'bogus': bad format" } });
    expect((await failureOf(ingress.rejectAwakeable("bogus", "x"))).status).toBe(400);
  });
});

describe("a failure", () => {
  it.each([418, 409, 500])(
    "of the handler with code %i reaches the client with this status and its metadata",
    async (code) => {
      const { status, body } = await failureOf(service().fail(code));
      expect(status).toBe(code);
      expect(body).toMatchObject({ code, message: "no luck", source: "invocation", metadata: { where: "here" } });
    },
  );

  it("of the handler is not retried, whatever its status", async () => {
    const { fetch, headers } = counted();
    const retrying = connect({ fetch, retry: { initialInterval: 1 } }).serviceClient(greeter);
    const key = newKey();
    expect((await failureOf(retrying.fail(503, rpc.opts({ idempotencyKey: key })))).status).toBe(503);
    expect(headers).toHaveLength(1);
  });

  it("of the handler of a send is reported when the client asks for the result of the send", async () => {
    const opts = rpc.sendOpts<number>({ idempotencyKey: newKey() });
    const sent = await ingress.serviceSendClient(greeter).fail(444, opts);
    expect(await failureOf(ingress.result(sent))).toMatchObject({ status: 444, body: { message: "no luck" } });
  });

  it.each([
    ["an unknown service", () => ingress.serviceClient({ name: "Nope" }) as never, 404],
    ["an unknown handler", () => service() as never, 404],
  ])("of %s comes from the ingress", async (_what, client: () => { nope(): Promise<void> }, status) => {
    const failure = await failureOf(client().nope());
    expect(failure).toMatchObject({ status, body: { code: status, source: "ingress" } });
  });
});

describe("a client that retries", () => {
  it("gets its result through a failing server, and the handler runs once", async () => {
    const name = newKey();
    let asked = 0;
    const stumbling = await listen(
      createServer((request, response) => {
        asked += 1;
        void relay(request, asked).then(({ status, body }) => {
          if (status === 0) return response.destroy();
          return response.writeHead(status).end(body);
        });
      }),
    );
    const client = connect({ url: stumbling.uri, retry: { initialInterval: 1 } }).serviceClient(greeter);
    expect(await client.greet(name, rpc.opts({ idempotencyKey: name }))).toBe(`Hello ${name}`);
    await stumbling.close();
    expect(asked).toBe(3);
    expect(done.greeted.filter((greeted) => greeted === name)).toEqual([name]);
  });

  /** Passes on every request except the second, which it answers with 503 by itself, and drops the answer to the first. */
  async function relay(
    request: IncomingMessage,
    asked: number,
  ): Promise<{ readonly status: number; readonly body?: string }> {
    const pieces: Buffer[] = [];
    for await (const piece of request) pieces.push(piece as Buffer);
    if (asked === 2) return { status: 503 };
    const response = await fetch(`${stage.ingressUri}${request.url}`, {
      method: request.method!,
      headers: { "content-type": "application/json", "idempotency-key": String(request.headers["idempotency-key"]) },
      body: Buffer.concat(pieces),
    });
    const body = await response.text();
    return asked === 1 ? { status: 0 } : { status: response.status, body };
  }
});

describe("a call in a scope", () => {
  const inTenant = () => ingress.scope("tenant");

  it("reaches services, objects and workflows", async () => {
    expect(
      await inTenant()
        .serviceClient(greeter)
        .greet("Ada", rpc.opts({ limitKey: "one/two" })),
    ).toBe("Hello Ada");
    expect((await inTenant().serviceSendClient(greeter).greet("Ada")).status).toBe("Accepted");
    const submitted = await inTenant().workflowClient(signup, "scoped").workflowSubmit("Ada");
    expect(submitted.status).toBe("Accepted");
  });

  it("of an object has a state of its own", async () => {
    const key = newKey();
    expect(await inTenant().objectClient(counter, key).add(1)).toBe(1);
    expect(await ingress.objectClient(counter, key).add(5)).toBe(5);
    expect(await inTenant().objectClient(counter, key).add(1)).toBe(2);
    await inTenant().objectSendClient(counter, key).add(1);
    expect(await ingress.scope("other").objectClient(counter, key).add(1)).toBe(1);
  });

  it("is refused with a limit key and no scope", async () => {
    expect((await failureOf(service().greet("Ada", rpc.opts({ limitKey: "one/two" })))).status).toBe(400);
  });
});
