/** The ingress behind IAM and behind JWT, and a stack that registers its own handlers by the admin API. */
import { beforeAll, describe, expect, test } from "vitest";
import type { Context } from "@restatedev/restate-sdk";
import { send, type ApiRequest, type ApiResponse } from "../../localstack/signed-request.mjs";
import { aws, ControlPlane, countOne } from "./control-plane.ts";
import { callByApplication, callByCurl } from "./documented-call.ts";
import { deployAccessApis, ACCESS_STACK, type AccessApis } from "./access-apis.ts";
import { assume, createUser, functionsOf, invoking, roleOf } from "./identities.ts";
import { signedBy } from "./signed-by.ts";
import { startIssuer, type Claims, type TokenIssuer } from "./token-issuer.ts";
import { serveHandlers } from "./url-deployment.ts";

const AUDIENCE = "shop";
const plane = new ControlPlane(aws.plain);
const reached: string[] = [];

let issuer: TokenIssuer;
let apis: AccessApis;
beforeAll(async () => {
  const handlers = {
    greet: async (_ctx: Context, name: string) => {
      reached.push(name);
      return `hello ${name}`;
    },
    headers: async (ctx: Context) => [...ctx.request().headers.keys()],
    closed: async () => "open",
  };
  const uri = await serveHandlers("guarded", handlers);
  issuer = await startIssuer();
  const startedMs = performance.now();
  apis = await deployAccessApis({ issuer: issuer.url, audience: AUDIENCE, handlers: uri });
  console.log(`two more APIs are deployed after ${((performance.now() - startedMs) / 1000).toFixed(1)} s`);
  return () => issuer.close();
});

function called(handler: string, input?: unknown, headers: ApiRequest["headers"] = {}): ApiRequest {
  if (input === undefined) return { method: "POST", path: `/guarded/${handler}`, headers };
  const body = JSON.stringify(input);
  return {
    method: "POST",
    path: `/guarded/${handler}`,
    headers: { "content-type": "application/json", ...headers },
    body,
  };
}

async function ask(api: "iam" | "jwt", request: ApiRequest): Promise<ApiResponse> {
  countOne("request");
  return await send(apis[api], request);
}

describe("an ingress behind IAM", () => {
  const caller = (...routes: readonly string[]) => createUser(routes.length === 0 ? [] : invoking(apis.iam, ...routes));

  test("refuses unsigned requests and callers without rights, and no handler runs", async () => {
    const withoutRights = await caller();
    for (const request of [called("greet", "unsigned"), { path: "/restate/health" }, { path: "/openapi" }]) {
      expect((await ask("iam", request)).status).toBe(403);
      expect((await ask("iam", await signedBy(withoutRights, apis.iam, request))).status).toBe(403);
    }
    expect(reached).not.toContain("unsigned");
  });

  test("accepts a caller that may invoke it, but not a signature with another secret", async () => {
    const shop = await caller("*");
    const { status, text } = await ask("iam", await signedBy(shop, apis.iam, called("greet", "Ada")));
    expect([status, JSON.parse(text)]).toEqual([200, "hello Ada"]);
    const forged = { ...shop, secretAccessKey: "of somebody else" };
    expect((await ask("iam", await signedBy(forged, apis.iam, called("greet", "forged")))).status).toBe(403);
    expect(reached).not.toContain("forged");
  });

  test("accepts the first call of docs/operating/aws.md, by curl and by an application, and refuses a caller without rights", async () => {
    const url = `${aws.endpoint}/_aws/execute-api/${apis.iam.host.split(".", 1)[0]}`;
    const [shop, stranger] = [await caller("*/POST/guarded/greet"), await caller()];
    expect(await callByCurl(shop, url, "/guarded/greet")).toBe('"hello Ada"');
    expect(await callByApplication(shop, url, "/guarded/greet")).toBe('200 "hello Ada"');
    expect(await callByCurl(stranger, url, "/guarded/greet")).toMatch(/AccessDenied|Forbidden/);
    expect(await callByApplication(stranger, url, "/guarded/greet")).toMatch(/^403 /);
  });

  test("accepts only the handlers that a policy names", async () => {
    const greeter = await caller("*/POST/guarded/greet");
    expect((await ask("iam", await signedBy(greeter, apis.iam, called("greet", "Bob")))).status).toBe(200);
    for (const request of [called("closed"), called("greet/send", "Eve"), { path: "/restate/health" }]) {
      expect((await ask("iam", await signedBy(greeter, apis.iam, request))).status, request.path).toBe(403);
    }
    expect(reached).not.toContain("Eve");
  });
});

describe("an ingress behind JWT", () => {
  const nowS = () => Math.floor(Date.now() / 1000);
  const claims = (changed: Partial<Claims> = {}): Claims => ({
    iss: issuer.url,
    aud: AUDIENCE,
    sub: "ada",
    exp: nowS() + 300,
    ...changed,
  });
  const statusWith = async (authorization: string, name: string) =>
    (await ask("jwt", called("greet", name, { authorization }))).status;

  test("accepts a token of the issuer for the audience", async () => {
    const authorization = `Bearer ${issuer.token(claims())}`;
    const { status, text } = await ask("jwt", called("greet", "Ada", { authorization }));
    expect([status, JSON.parse(text)]).toEqual([200, "hello Ada"]);
  });

  test("refuses a request without a valid token", async () => {
    expect((await ask("jwt", called("greet", "without"))).status).toBe(401);
    const [head, , seal] = issuer.token(claims()).split(".");
    const [, others] = issuer.token(claims({ sub: "eve" })).split(".");
    const tokens = {
      garbage: "garbage",
      expired: issuer.token(claims({ exp: nowS() - 60 })),
      "not valid yet": issuer.token(claims({ nbf: nowS() + 600 })),
      "of another audience": issuer.token(claims({ aud: "another" })),
      "of another issuer": issuer.token(claims({ iss: "https://id.example" })),
      "by another key": issuer.forged(claims()),
      "changed after it was signed": `${head}.${others}.${seal}`,
      "not signed": `${issuer.token(claims()).split(".").slice(0, 2).join(".")}.`,
    };
    for (const [what, token] of Object.entries(tokens))
      expect(await statusWith(`Bearer ${token}`, what), what).toBe(401);
    expect(reached).not.toEqual(expect.arrayContaining(["without"]));
    expect(Object.keys(tokens).filter((what) => reached.includes(what))).toEqual([]);
  });

  test("does not pass the token to the handler", async () => {
    const authorization = `Bearer ${issuer.token(claims())}`;
    const { status, text } = await ask("jwt", called("headers", undefined, { authorization, "x-shop": "1" }));
    expect(status).toBe(200);
    expect(JSON.parse(text)).toContain("x-shop");
    expect(JSON.parse(text)).not.toContain("authorization");
  });
});

describe("a stack that registers its handlers", () => {
  test("has registered them, by the role of its registrar", async () => {
    const { status } = await plane.askAdmin({ path: `/deployments/${apis.deploymentId}` });
    expect(status).toBe(200);
  });

  test("has a registrar that may register, change and remove deployments, and nothing else at the admin API", async () => {
    const [name] = await functionsOf(`${ACCESS_STACK}-StepwellRegistrar`);
    const registrar = await assume(await roleOf(name!));
    const statusOf = async (request: ApiRequest) =>
      (await plane.askAdminUnsigned(await signedBy(registrar, aws.plain.admin, request))).status;
    const headers = { "content-type": "application/json" };
    expect(await statusOf({ method: "POST", path: "/deployments", headers, body: "{}" })).toBe(422);
    for (const method of ["PATCH", "DELETE"]) {
      expect(await statusOf({ method, path: "/deployments/no-such-id", headers }), method).not.toBe(403);
    }
    const others: readonly ApiRequest[] = [
      { path: "/deployments" },
      { path: `/deployments/${apis.deploymentId}` },
      { method: "PUT", path: `/deployments/${apis.deploymentId}` },
      { method: "POST", path: "/query", body: "{}" },
      { method: "POST", path: "/deployments-of-others", body: "{}" },
      { method: "DELETE", path: "/deployments" },
      { method: "DELETE", path: "/invocations/no-such-id" },
    ];
    for (const one of others) expect(await statusOf(one), `${one.method ?? "GET"} ${one.path}`).toBe(403);
  });
});
