/** The door of the local admin API: programs without the token, and web pages, reach no route that needs an operator. */
import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { PAGE_REQUESTS } from "../harness/browser/page-requests.ts";
import { tokenAt } from "../harness/local/admin-access.ts";
import { INGRESS_SERVICES } from "../harness/local/ingress-services.ts";
import { openLocalStage, type LocalStage } from "../harness/local/local-stage.ts";
import { ask, askHttp2 } from "../harness/local/raw-http.ts";

/** Answers that say the same to everybody, so they need no token. */
const OPEN = ["/health", "/v3/health", "/ready", "/", "/ui", "/ui/", "/ui/x", "/ui/x/x"];

let stage: LocalStage;
let token: string;
beforeAll(async () => {
  stage = await openLocalStage({ services: INGRESS_SERVICES });
  token = tokenAt(stage.adminUri)!;
});
afterAll(() => stage.close());

const WITHOUT = { authorization: "" };
/** The harness reads until the server closes; a WebSocket would ask for another kind of connection. */
const ONCE = { connection: "close" };

async function paths(): Promise<readonly string[]> {
  const { paths: all } = JSON.parse((await ask(stage.adminPort, "GET /openapi")).body) as { paths: object };
  return ["/openapi", "/internal/overview", "/unknown", ...Object.keys(all)].map((path) =>
    path.replaceAll(/\{\w+\}/g, "x"),
  );
}

test("every route but those that say the same to everybody needs the token, by every method", async () => {
  const all = await paths();
  expect(all.length).toBeGreaterThan(25);
  for (const path of all.filter((one) => !OPEN.includes(one))) {
    for (const method of ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"])
      for (const prefix of ["", "/v3"]) {
        if (OPEN.includes(prefix + path)) continue;
        const { status } = await ask(stage.adminPort, `${method} ${prefix}${path}`, WITHOUT);
        expect([method, path, status]).toEqual([method, path, 401]);
      }
  }
  for (const path of OPEN) {
    expect([path, (await ask(stage.adminPort, `GET ${path}`, WITHOUT)).status]).not.toEqual([path, 401]);
    expect([path, (await ask(stage.adminPort, `POST ${path}`, WITHOUT)).status]).toEqual([path, 401]);
  }
});

test("the refusal says what is missing and what to do, in the usual form", async () => {
  const { status, headers, body } = await ask(stage.adminPort, "GET /deployments", WITHOUT);
  expect(status).toBe(401);
  expect(headers["www-authenticate"]).toBe('Bearer realm="stepwell"');
  const { message, restate_code: code } = JSON.parse(body) as { message: string; restate_code: string };
  expect(code).toBe("META0018");
  expect(message).toContain(join(stage.dataDir, "admin-token"));
  expect(body).not.toContain(token);
  const over2 = await askHttp2(stage.adminUri, { ...WITHOUT, ":path": "/deployments" });
  expect(over2.headers[":status"]).toBe(401);
});

test("a body is refused before it is read", async () => {
  const headers = { ...WITHOUT, "content-type": "application/json", "content-length": "4000000" };
  expect((await ask(stage.adminPort, "POST /deployments", headers)).status).toBe(401);
});

test.each([
  ["none", {}],
  ["an empty one", { authorization: "Bearer " }],
  ["another one of its length", { authorization: `Bearer ${"A".repeat(43)}` }],
  ["a longer one", (own: string) => ({ authorization: `Bearer ${own}A` })],
  ["its beginning", (own: string) => ({ authorization: `Bearer ${own.slice(0, -1)}` })],
  ["the token as a user", (own: string) => ({ authorization: `Basic ${btoa(`${own}:`)}` })],
  ["the token in the query", (own: string) => ({ path: `/deployments?token=${own}` })],
  ["the token as the key of a page", (own: string) => ({ "x-stepwell-page-key": own })],
] as const)("of the tokens, %s opens nothing", async (_what, given) => {
  const { path = "/deployments", ...headers }: Record<string, string> =
    typeof given === "function" ? given(token) : { ...given };
  expect((await ask(stage.adminPort, `GET ${path}`, { ...WITHOUT, ...headers })).status).toBe(401);
});

test("the token is random, of the owner alone, and the same after a restart", async () => {
  const file = join(stage.dataDir, "admin-token");
  expect(readFileSync(file, "utf8")).toMatch(/^[\w-]{43}\n$/);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  const other = await openLocalStage({});
  onTestFinished(() => other.close());
  expect(tokenAt(other.adminUri)).not.toBe(token);
  expect((await ask(other.adminPort, "GET /deployments", { authorization: `Bearer ${token}` })).status).toBe(401);
  await other.local.stop();
  const again = await openLocalStage({ flags: { "data-dir": other.dataDir } });
  onTestFinished(() => again.close());
  expect(tokenAt(again.adminUri)).toBe(readFileSync(join(other.dataDir, "admin-token"), "utf8").trim());
});

test("a token of the settings is the token, and replaces the one in the file", async () => {
  const given = "0123456789abcdef0123456789abcdef";
  const other = await openLocalStage({ flags: { "admin.token": given } });
  onTestFinished(() => other.close());
  expect((await ask(other.adminPort, "GET /deployments", { authorization: `Bearer ${given}` })).status).toBe(200);
  expect(readFileSync(join(other.dataDir, "admin-token"), "utf8").trim()).toBe(given);
});

describe("a page of another origin", () => {
  test.each(PAGE_REQUESTS)("with $what reaches nothing, even if it had the token", async ({ headers }) => {
    const { method = "GET", ...fields } = headers as Record<string, string>;
    for (const path of ["/deployments", "/metrics", "/services/Greeter", "/-/session", "/-/sign-in-codes"])
      for (const access of [WITHOUT, {}]) {
        const sent = { ...fields, ...access, ...ONCE };
        const { status, headers: answered } = await ask(stage.adminPort, `${method} ${path}`, sent);
        expect([path, status]).toEqual([path, 403]);
        expect(Object.keys(answered).filter((name) => name.startsWith("access-control-"))).toEqual([]);
      }
  });

  test("cannot use a session, which only the server's own page can", async () => {
    const { cookie, key } = await signedIn(stage);
    const own = { ...WITHOUT, cookie, "x-stepwell-page-key": key };
    expect((await ask(stage.adminPort, "GET /deployments", { ...own, "sec-fetch-site": "same-origin" })).status).toBe(
      200,
    );
    for (const { what, headers } of PAGE_REQUESTS) {
      const { method = "GET", ...fields } = headers as Record<string, string>;
      const { status } = await ask(stage.adminPort, `${method} /deployments`, { ...fields, ...own, ...ONCE });
      expect([what, status]).toEqual([what, 403]);
    }
  });
});

async function signedIn(at: LocalStage): Promise<{ readonly cookie: string; readonly key: string }> {
  const { body } = await ask(at.adminPort, "POST /-/sign-in-codes");
  const { code } = JSON.parse(body) as { code: string };
  const host = `127.0.0.1:${at.adminPort}`;
  const page = await ask(at.adminPort, `GET /-/sign-in?code=${code}`, { ...WITHOUT, host });
  return {
    cookie: page.headers["set-cookie"]!.split(";", 1)[0]!.replace(/^stepwell-session-\d+/, "stepwell-session"),
    key: /#key=([\w-]{43})/.exec(page.body)![1]!,
  };
}

describe("a session", () => {
  test("opens by a code that works once, and says nothing of the token", async () => {
    const { body } = await ask(stage.adminPort, "POST /-/sign-in-codes");
    const { code } = JSON.parse(body) as { code: string };
    const first = await ask(stage.adminPort, `GET /-/sign-in?code=${code}`, WITHOUT);
    expect(first.status).toBe(200);
    expect(first.headers["set-cookie"]).toMatch(/; Path=\/; Max-Age=\d+; HttpOnly; SameSite=Strict$/);
    expect(first.headers["cache-control"]).toBe("no-store");
    expect(JSON.stringify(first)).not.toContain(token);
    expect((await ask(stage.adminPort, `GET /-/sign-in?code=${code}`, WITHOUT)).status).toBe(403);
    expect((await ask(stage.adminPort, "GET /-/sign-in?code=", WITHOUT)).status).toBe(403);
    expect((await ask(stage.adminPort, "POST /-/sign-in-codes", WITHOUT)).status).toBe(401);
  });

  test("needs its cookie and its key, so that a server at another port, which gets the cookie, can do nothing", async () => {
    const { cookie, key } = await signedIn(stage);
    const other = await signedIn(stage);
    const tries = [
      { cookie },
      { "x-stepwell-page-key": key },
      { cookie, "x-stepwell-page-key": other.key },
      { cookie: `${cookie}x`, "x-stepwell-page-key": key },
      { cookie: cookie.replace(/=./, (start) => (start === "=9" ? "=8" : "=9")), "x-stepwell-page-key": key },
      { cookie, "sec-fetch-site": "same-origin" },
      { cookie, "sec-fetch-site": "none", "sec-fetch-mode": "cors" },
    ];
    for (const headers of tries)
      expect([headers, (await ask(stage.adminPort, "GET /deployments", { ...WITHOUT, ...headers })).status]).toEqual([
        headers,
        401,
      ]);
  });

  test("opens with the token too", async () => {
    const given = await ask(stage.adminPort, "POST /-/session");
    const { key } = JSON.parse(given.body) as { key: string };
    const cookie = given.headers["set-cookie"]!.split(";", 1)[0]!;
    expect(given.status).toBe(201);
    const headers = { ...WITHOUT, cookie, "x-stepwell-page-key": key };
    expect((await ask(stage.adminPort, "GET /deployments", headers)).status).toBe(200);
  });

  test("ends with the process: who takes its port gets cookie and key of an open page, and can use neither later", async () => {
    const flags = { "admin.token": "0123456789abcdef0123456789abcdef" };
    const first = await openLocalStage({ flags });
    const { cookie, key } = await signedIn(first);
    const headers = { ...WITHOUT, cookie, "x-stepwell-page-key": key };
    expect((await ask(first.adminPort, "GET /deployments", headers)).status).toBe(200);
    await first.close();
    const again = await openLocalStage({ flags: { ...flags, "admin.port": String(first.adminPort) } });
    onTestFinished(() => again.close());
    expect((await ask(again.adminPort, "GET /deployments", headers)).status).toBe(401);
  });

  test("ends at the server when its page signs out, and no other page and no other session can end it", async () => {
    const { cookie, key } = await signedIn(stage);
    const other = await signedIn(stage);
    const own = { ...WITHOUT, cookie, "x-stepwell-page-key": key };
    const rest = { ...WITHOUT, cookie: other.cookie, "x-stepwell-page-key": other.key };
    const out = async (headers: Readonly<Record<string, string>>) =>
      await ask(stage.adminPort, "DELETE /-/session", headers);
    expect((await out({ ...own, "sec-fetch-site": "same-site" })).status).toBe(403);
    expect((await out({ ...WITHOUT, cookie })).status).toBe(401);
    expect((await out({ ...WITHOUT, cookie, "x-stepwell-page-key": other.key })).status).toBe(401);
    expect((await ask(stage.adminPort, "GET /deployments", own)).status).toBe(200);
    const ended = await out({ ...own, "sec-fetch-site": "same-origin" });
    expect(ended.status).toBe(204);
    expect(ended.headers["set-cookie"]).toMatch(/^stepwell-session=; Path=\/; Max-Age=0; HttpOnly; SameSite=Strict$/);
    expect((await ask(stage.adminPort, "GET /deployments", own)).status).toBe(401);
    expect((await out(own)).status).toBe(401);
    expect((await ask(stage.adminPort, "GET /deployments", rest)).status).toBe(200);
    // The token has no session to end.
    expect((await out({})).status).toBe(404);
  });

  test("a browser without one gets a page that says how to sign in, wherever it goes", async () => {
    const { status, body, headers } = await ask(stage.adminPort, "GET /deployments", {
      ...WITHOUT,
      "sec-fetch-site": "none",
      "sec-fetch-mode": "navigate",
    });
    expect(status).toBe(401);
    expect(headers["content-type"]).toContain("text/html");
    expect(body).toContain("stepwell ui");
  });
});

test("with admin.auth off, every program is an operator, as the warning says, and pages of other origins stay outside", async () => {
  const other = await openLocalStage({ flags: { "admin.auth": "off" } });
  onTestFinished(() => other.close());
  expect(other.local.adminToken).toBeUndefined();
  expect((await ask(other.adminPort, "GET /deployments")).status).toBe(200);
  for (const { what, headers } of PAGE_REQUESTS) {
    const { method = "GET", ...fields } = headers as Record<string, string>;
    const { status } = await ask(other.adminPort, `${method} /deployments`, { ...fields, ...ONCE });
    expect([what, status]).toEqual([what, 403]);
  }
});

test("no answer with data stays in a cache of a browser or a proxy; the files of the web UI may", async () => {
  for (const path of [
    "/deployments",
    "/openapi",
    "/internal/overview",
    "/metrics",
    "/invocations",
    "/unknown",
    "/ready",
  ])
    expect([path, (await ask(stage.adminPort, `GET ${path}`)).headers["cache-control"]]).toEqual([path, "no-store"]);
  const page = await ask(stage.adminPort, "GET /ui/");
  expect(page.headers["cache-control"]).toBe("no-cache");
});
