/** Tests how the admin API serves the web UI, and calls handlers for operators. */
import { gunzipSync } from "node:zlib";
import { afterAll, beforeAll, expect, test } from "vitest";
import { adminApp } from "../../../shared/api/admin/admin-app.ts";
import { openAdminPlane, type AdminPlane } from "./admin-plane.ts";

let plane: AdminPlane;
beforeAll(async () => {
  plane = await openAdminPlane();
});
afterAll(() => plane.close());

test("the page runs only scripts of its own origin, and no text becomes markup in it", async () => {
  const { status, headers, text } = await plane.ask("GET", "/ui/");
  expect([status, headers["content-type"], headers["cache-control"]]).toEqual([
    200,
    "text/html; charset=utf-8",
    "no-cache",
  ]);
  const policy = headers["content-security-policy"];
  for (const part of ["default-src 'none'", "script-src 'self'", "connect-src 'self'", "trusted-types 'none'"]) {
    expect(policy).toContain(part);
  }
  expect(text).not.toMatch(/<script(?![^>]* src=)|style="| on[a-z]+=/);
});

test("each file that the page names is served, with or without gzip, and clients may cache it for ever", async () => {
  const { text } = await plane.ask("GET", "/ui/");
  const names = [...text.matchAll(/(?:href|src)="([^"]+)"/g)].map(([, name]) => name!);
  expect(names).toHaveLength(3);
  for (const name of names) {
    const { pathname } = new URL(name, "http://server/ui/");
    const plain = await plane.ask("GET", pathname);
    expect(plain.headers["cache-control"]).toContain("immutable");
    expect(plain.headers["content-encoding"]).toBeUndefined();
    const packed = await plane.respond("GET", pathname, { "accept-encoding": "br, gzip" });
    expect(packed.headers["content-encoding"]).toBe("gzip");
    expect(gunzipSync(packed.body).toString()).toBe(plain.text);
  }
});

test("a client that refuses gzip gets none", async () => {
  const { headers } = await plane.respond("GET", "/ui/", { "accept-encoding": "gzip;q=0, br" });
  expect(headers["content-encoding"]).toBeUndefined();
});

test("a file that is not there gets 404, and the root leads to the page", async () => {
  expect((await plane.ask("GET", "/ui/nothing.js")).status).toBe(404);
  expect((await plane.ask("GET", "/")).headers["location"]).toBe("ui/");
});

test.each([
  ["directly", "/", "", false],
  ["behind a proxy with a prefix", "/", "/stage", false],
  ["behind a proxy with a prefix that drops the slash at the end", "/", "/stage", true],
  ["behind a proxy that drops the slash at the end", "/ui/", "", true],
  ["without the slash", "/ui", "", false],
])("a browser comes to the page and its files %s", async (_what, start, prefix, dropsSlash) => {
  /** What the browser gets at an address, through the proxy. */
  const through = async (address: URL) => {
    expect(address.pathname.startsWith(`${prefix}/`)).toBe(true);
    const path = address.pathname.slice(prefix.length);
    return await plane.ask("GET", dropsSlash && path !== "/" ? path.replace(/\/$/, "") : path);
  };
  let at = new URL(`http://proxy${prefix}${start}`);
  let answer = await through(at);
  for (let steps = 0; answer.status === 308 && steps < 5; steps++) {
    at = new URL(answer.headers["location"]!, at);
    answer = await through(at);
  }
  expect([answer.status, answer.headers["content-type"]]).toEqual([200, "text/html; charset=utf-8"]);
  for (const [, name] of answer.text.matchAll(/(?:href|src)="([^"]+)"/g))
    expect([name, (await through(new URL(name!, at))).status]).toEqual([name, 200]);
  expect(new URL("..", at).pathname).toBe(`${prefix}/`);
});

test("if the UI is turned off, its routes name the setting that turned it off", async () => {
  const { uiFiles: _, ...deps } = plane.deps;
  const request = { method: "GET", path: "/ui/", query: "", headers: {}, body: new Uint8Array(0) };
  const { status, body } = await adminApp(plane.engine, deps)(request);
  expect([status, new TextDecoder().decode(body)]).toEqual([404, expect.stringContaining("admin.disable-web-ui")]);
});

const CALL = "/internal/services/Unknown/handlers/any/call";

test("a call for an operator gets the ingress's own answer", async () => {
  const { status, json } = await plane.ask("POST", CALL, "1", { "x-requested-with": "test" });
  expect([status, json.source]).toEqual([404, "ingress"]);
});

test.each([CALL, "/internal/services/Unknown/handlers/any/send", "/internal/awakeables/sign_1x/resolve"])(
  "no page of another origin may read the answer of the ingress at %s",
  async (path) => {
    const { headers } = await plane.ask("POST", path, "1", {
      "x-requested-with": "test",
      origin: "https://example.com",
    });
    expect(Object.keys(headers).filter((name) => name === "vary" || name.startsWith("access-control-"))).toEqual([]);
    expect(headers["content-type"]).toBe("application/json");
  },
);

test("a call without the header `x-requested-with`, which pages of other origins cannot send, is refused", async () => {
  expect((await plane.ask("POST", CALL, "1")).status).toBe(400);
});

test.each([
  ["/ui/invocations/inv_1a", "/ui/#/invocations/inv_1a"],
  ["/ui/services/My%20service", "/ui/#/services/My%20service"],
  ["/ui/deployments", "/ui/#/deployments"],
])("%s, as other tools write it, leads to the page, also behind a prefix", async (path, page) => {
  const { status, headers } = await plane.ask("GET", path);
  expect(status).toBe(302);
  const to = new URL(headers["location"]!, `http://host/prefix${path}`);
  expect(to.pathname + to.hash).toBe(`/prefix${page}`);
});

test("a path below the UI that is no page is 404", async () => {
  expect((await plane.ask("GET", "/ui/nothing/x")).status).toBe(404);
});
