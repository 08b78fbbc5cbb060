/** Calls over real connections: requests and answers, byte by byte. */
import { connect as connectHttp2 } from "node:http2";
import { gzipSync } from "node:zlib";
import * as restate from "@restatedev/restate-sdk";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Gate } from "../harness/engine/gate.ts";
import { INGRESS_SERVICES } from "../harness/local/ingress-services.ts";
import { openLocalStage, type LocalStage } from "../harness/local/local-stage.ts";
import { ask, askHttp2, exchange, head, nextAnswer, openSocket, parseAnswers } from "../harness/local/raw-http.ts";

const LIMIT_BYTES = 100_000;
const TOO_MUCH = Buffer.alloc(3_000_000, "x");
const BINARY_TYPE = { "content-type": "application/octet-stream" };
const VARY = "origin, access-control-request-method, access-control-request-headers";
const NO_SNIFFING = { "x-content-type-options": "nosniff" };
const COMMON = { vary: VARY, ...NO_SNIFFING };
const ALLOWED = { "access-control-allow-origin": "https://a.example" };

let stage: LocalStage;
beforeAll(async () => {
  const flags = { "ingress.request-size-limit": String(LIMIT_BYTES), "ingress.forward-headers": "Cookie, x-amz-m*" };
  stage = await openLocalStage({ services: INGRESS_SERVICES, flags });
});
afterAll(() => stage.close());

const echo = (body: string, more: Record<string, string> = {}): string =>
  head("POST /Greeter/echo", { ...BINARY_TYPE, "content-length": String(body.length), ...more }) + body;

describe("a path", () => {
  test.each([
    "/Greeter/headers",
    "//Greeter/headers",
    "////Greeter/headers/",
    "/restate/call/Greeter/headers",
    "http://elsewhere.example/Greeter/headers",
  ])("%s leads to the handler", async (path) => {
    const { status, body } = await ask(stage.ingressPort, `POST ${path}`);
    expect(status).toBe(200);
    expect(JSON.parse(body)).toMatchObject({
      "x-restate-ingress-path": path.replace("http://elsewhere.example", ""),
    });
  });

  test.each(["/Greeter//headers", "/Greeter/headers//", "/%47reeter/headers", "/Greeter/headers%2F", "/../Greeter"])(
    "%s does not lead to the handler",
    async (path) => {
      const { status, headers } = await ask(stage.ingressPort, `POST ${path}`);
      expect([400, 404]).toContain(status);
      expect(headers["x-restate-error-source"]).toBe("ingress");
    },
  );

  test("over HTTP/2 may have unescaped bytes, which are read as if they were escaped", async () => {
    const path = `/Greeter/headers?name=${Buffer.from("Zoë").toString("latin1")}`;
    const { headers, body } = await askHttp2(stage.ingressUri, { ":path": path });
    expect(headers[":status"]).toBe(200);
    expect(JSON.parse(body)).toMatchObject({ "x-restate-ingress-path": "/Greeter/headers?name=Zo%C3%AB" });
  });
});

describe("an answer", () => {
  test("has these headers and no others", async () => {
    const { headers, body } = await ask(stage.ingressPort, "POST /Greeter/echo", BINARY_TYPE, "\0\xff");
    expect(body).toBe("\0\xff");
    expect(headers).toEqual({
      ...COMMON,
      "x-restate-id": expect.stringMatching(/^inv_1[0-9a-zA-Z]{33}$/),
      "content-type": "application/octet-stream",
      "content-length": "2",
      date: expect.stringMatching(/ GMT$/),
      connection: "close",
    });
  });

  test("over HTTP/2 has the same headers", async () => {
    const bytes = new Uint8Array([1]);
    const { headers } = await askHttp2(stage.ingressUri, { ":path": "/Greeter/echo", ...BINARY_TYPE }, bytes);
    expect(Object.fromEntries(Object.entries(headers))).toEqual({
      ...COMMON,
      ":status": 200,
      "x-restate-id": expect.stringMatching(/^inv_1/),
      "content-type": "application/octet-stream",
      "content-length": "1",
      date: expect.stringMatching(/ GMT$/),
    });
  });

  test("to a send has its id and a receipt", async () => {
    const { status, headers, body } = await ask(stage.ingressPort, "POST /Greeter/headers/send");
    expect([status, headers["content-type"]]).toEqual([202, "application/json"]);
    expect(JSON.parse(body)).toEqual({ invocationId: headers["x-restate-id"], status: "Accepted" });
  });

  test("to a call that repeats an idempotency key has the expiry of the result", async () => {
    const key = { "idempotency-key": "expires", ...BINARY_TYPE };
    expect((await ask(stage.ingressPort, "POST /Greeter/echo", key, "x")).headers).not.toHaveProperty(
      "idempotency-expires",
    );
    const again = await ask(stage.ingressPort, "POST /Greeter/echo", key, "y");
    expect(again.body).toBe("x");
    expect(again.headers["idempotency-expires"]).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}\+00:00$/);
  });

  test("to an OPTIONS request grants the requested method and headers", async () => {
    const asked = {
      origin: "https://a.example",
      "access-control-request-method": "POST",
      "access-control-request-headers": "content-type, idempotency-key",
    };
    for (const target of ["/Greeter/echo", "/nowhere", "*"]) {
      const { status, headers, body } = await ask(stage.ingressPort, `OPTIONS ${target}`, asked);
      expect([status, body]).toEqual([200, ""]);
      expect(headers).toMatchObject({
        ...COMMON,
        ...ALLOWED,
        "access-control-allow-methods": "POST",
        "access-control-allow-headers": "content-type, idempotency-key",
      });
    }
  });
});

describe("a header", () => {
  const seen = async (headers: Record<string, string>): Promise<Record<string, string>> => {
    const { body } = await ask(stage.ingressPort, "POST /Greeter/headers", headers);
    return JSON.parse(body) as Record<string, string>;
  };

  test("reaches the handler with its first value", async () => {
    const text = await exchange(
      stage.ingressPort,
      head("POST /Greeter/headers", { "x-any": "one", "X-Any": "two", accept: "text/html", connection: "close" }),
    );
    const [answer] = parseAnswers(text);
    expect(JSON.parse(answer!.body)).toEqual({
      "x-restate-ingress-path": "/Greeter/headers",
      "x-any": "one",
      accept: "text/html",
    });
  });

  test("with credentials reaches the handler only if the settings name it", async () => {
    const secrets = {
      authorization: "Bearer secret",
      "proxy-authorization": "Basic secret",
      "x-amz-security-token": "secret",
      "x-amzn-oidc-data": "secret",
    };
    const wanted = { cookie: "a=b", "x-amz-meta": "m" };
    expect(await seen({ ...secrets, ...wanted })).toEqual({ "x-restate-ingress-path": "/Greeter/headers", ...wanted });
  });

  test("that names an encoding changes nothing: the handler gets the bytes unchanged", async () => {
    const packed = gzipSync("hello");
    const headers = { ...BINARY_TYPE, "content-encoding": "gzip", "accept-encoding": "gzip" };
    const { body } = await ask(stage.ingressPort, "POST /Greeter/echo", headers, packed);
    expect(Buffer.from(body, "latin1")).toEqual(packed);
  });
});

describe("a connection", () => {
  test("takes one request after the other", async () => {
    const socket = await openSocket(stage.ingressPort);
    for (const letter of ["a", "b", "c"]) {
      socket.write(echo(letter));
      expect(await nextAnswer(socket)).toMatchObject({ status: 200, body: letter });
    }
    socket.destroy();
  });

  test("takes further requests before it has answered, and answers in their order", async () => {
    const requests = [echo("a"), head("POST /Greeter"), echo("b"), echo("c", { connection: "close" })];
    const answers = parseAnswers(await exchange(stage.ingressPort, requests.join("")));
    expect(answers.map(({ status }) => status)).toEqual([200, 400, 200, 200]);
    expect(answers.filter(({ status }) => status === 200).map(({ body }) => body)).toEqual(["a", "b", "c"]);
  });

  test("takes a body in chunks, and one byte at a time", async () => {
    const chunked = { ...BINARY_TYPE, "transfer-encoding": "chunked", connection: "close" };
    const whole = `${head("POST /Greeter/echo", chunked)}3;ext=1\r\nabc\r\n2\r\nde\r\n0\r\ntrailer: x\r\n\r\n`;
    const text = await exchange(stage.ingressPort, ...whole.split(""));
    expect(parseAnswers(text)).toMatchObject([{ status: 200, body: "abcde" }]);
  });

  test.each(["gzip, chunked", "deflate,chunked", "identity, chunked"])(
    "with a body in the transfer coding %s is refused, since the server does not decode it",
    async (coding) => {
      const request = head("POST /Greeter/echo", { ...BINARY_TYPE, "transfer-encoding": coding, connection: "close" });
      const [answer] = parseAnswers(await exchange(stage.ingressPort, request, "3\r\nabc\r\n0\r\n\r\n"));
      const refused = { code: 501, message: "the server accepts no transfer coding but chunked", source: "ingress" };
      expect(answer).toMatchObject({ status: 501, body: JSON.stringify(refused) });
    },
  );

  test("gets an answer whose type browsers do not guess", async () => {
    for (const line of ["POST /Greeter/echo", "GET /nowhere", "OPTIONS /Greeter/echo"]) {
      expect([line, (await ask(stage.ingressPort, line)).headers]).toMatchObject([line, NO_SNIFFING]);
    }
    for (const line of ["GET /deployments", "GET /ui/", "DELETE /nowhere"]) {
      expect([line, (await ask(stage.adminPort, line)).headers]).toMatchObject([line, NO_SNIFFING]);
    }
  });

  test("gets a 100 if the client expects one before it sends its body", async () => {
    const headers = { ...BINARY_TYPE, "content-length": "2", expect: "100-continue", connection: "close" };
    const socket = await openSocket(stage.ingressPort);
    socket.write(head("POST /Greeter/echo", headers));
    expect(await nextAnswer(socket)).toEqual({ status: 100, headers: {}, body: "" });
    socket.write("ab");
    expect(await nextAnswer(socket)).toMatchObject({ status: 200, body: "ab" });
    socket.destroy();
  });

  test("of HTTP/2 carries many requests at the same time", async () => {
    const session = connectHttp2(stage.ingressUri);
    const bodies = Array.from({ length: 300 }, (_, at) => `body ${at}`);
    const answers = bodies.map(async (body) => {
      const stream = session.request({ ":method": "POST", ":path": "/Greeter/echo", ...BINARY_TYPE });
      stream.end(body);
      let text = "";
      for await (const piece of stream) text += String(piece);
      return text;
    });
    expect(await Promise.all(answers)).toEqual(bodies);
    session.destroy();
  });
});

describe("a body over the limit", () => {
  const origin = { origin: "https://a.example" };

  test("with a declared length is refused in plain text", async () => {
    const { status, headers, body } = await ask(stage.ingressPort, "POST /Greeter/echo", origin, TOO_MUCH);
    expect([status, body]).toEqual([413, "length limit exceeded"]);
    expect(headers).toMatchObject({ ...COMMON, ...ALLOWED, "content-type": "text/plain; charset=utf-8" });
    expect(headers).not.toHaveProperty("x-restate-error-source");
  });

  test("is refused before the client sends it, if the client expects a 100", async () => {
    const headers = { "content-length": String(LIMIT_BYTES + 1), expect: "100-continue" };
    const answers = parseAnswers(await exchange(stage.ingressPort, head("POST /Greeter/echo", headers)));
    expect(answers.map(({ status }) => status)).toEqual([413]);
  });

  test("in chunks is refused with an error in JSON", async () => {
    const pieces = [`${TOO_MUCH.length.toString(16)}\r\n`, TOO_MUCH, "\r\n0\r\n\r\n"];
    const headers = { "transfer-encoding": "chunked", connection: "close", ...origin };
    const [answer] = parseAnswers(await exchange(stage.ingressPort, head("POST /Greeter/echo", headers), ...pieces));
    expect(answer).toMatchObject({ status: 413, headers: { ...COMMON, ...ALLOWED } });
    expect(JSON.parse(answer!.body)).toEqual({
      code: 413,
      message: "cannot read body: LengthLimitError",
      source: "ingress",
    });
  });

  test.each([
    [{ "content-length": String(TOO_MUCH.length) }, "length limit exceeded"],
    [{}, '{"code":413,"message":"cannot read body: LengthLimitError","source":"ingress"}'],
  ])("over HTTP/2 is refused the same way: %j", async (headers, message) => {
    const { headers: answer, body } = await askHttp2(
      stage.ingressUri,
      { ":path": "/Greeter/echo", ...headers },
      TOO_MUCH,
    );
    expect([answer[":status"], body]).toEqual([413, message]);
  });

  test("begins one byte above the limit: a body of exactly the limit is accepted", async () => {
    const most = Buffer.alloc(LIMIT_BYTES, "y");
    expect((await ask(stage.ingressPort, "POST /Greeter/echo", BINARY_TYPE, most)).status).toBe(200);
    const more = Buffer.alloc(LIMIT_BYTES + 1, "y");
    expect((await ask(stage.ingressPort, "POST /Greeter/echo", BINARY_TYPE, more)).status).toBe(413);
  });
});

test("requests above the concurrency limit are refused with 429 until others have been answered", async () => {
  const flags = { "ingress.concurrent-api-requests-limit": "2" };
  const gate = new Gate();
  let standing = 0;
  const wait = (): Promise<void> => {
    standing++;
    return gate.passed;
  };
  const small = await openLocalStage({ services: [restate.service({ name: "Gate", handlers: { wait } })], flags });
  const waiting = [1, 2].map(() => fetch(`${small.ingressUri}/Gate/wait`, { method: "POST" }));
  await expect.poll(() => standing).toBe(2);
  const beyond = async () => ask(small.ingressPort, "GET /restate/health", { origin: "https://a.example" });
  const refused = await beyond();
  expect(refused.status).toBe(429);
  expect(refused.headers).toMatchObject({ ...COMMON, ...ALLOWED, "x-restate-error-source": "ingress" });
  expect(JSON.parse(refused.body)).toMatchObject({ code: 429, message: expect.stringMatching(/^too many requests, /) });
  gate.open();
  for (const answer of await Promise.all(waiting)) expect(answer.status).toBe(200);
  expect((await beyond()).status).toBe(200);
  await small.close();
});
