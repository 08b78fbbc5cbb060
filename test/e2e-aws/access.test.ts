/** The admin API accepts a request only if it has a valid signature and IAM entitles its caller to the route. */
import { beforeAll, describe, expect, test } from "vitest";
import type { ApiRequest } from "../../localstack/signed-request.mjs";
import { ROUTES } from "../../shared/api/admin/admin-app.ts";
import { aws, ControlPlane } from "./control-plane.ts";
import { createUser, invoking } from "./identities.ts";
import { signedBy, type Identity, type Signing } from "./signed-by.ts";

const plane = new ControlPlane(aws.plain);
const api = aws.plain.admin;
const QUERY = { method: "POST", path: "/query", body: '{"query":"SELECT name FROM sys_service"}' };
const JSON_BODY = { "content-type": "application/json", accept: "application/json" };

/**
 * One request for each route, with unknown ids, so that an accepted request changes nothing. `/health` is left out, because the
 * emulator itself answers this path, at every host. The tests of the template check that the gateway has one route for all
 * paths, and that this route requires IAM.
 */
const REQUESTS: readonly ApiRequest[] = ROUTES.filter(
  ({ pattern, operation }) => operation !== undefined && pattern !== "/health",
).map(({ method, pattern }) => {
  const path = pattern.replaceAll(/:(\w+)/g, "no-such-$1");
  const hasBody = method === "POST" || method === "PATCH";
  return hasBody ? { method, path, headers: JSON_BODY, body: "{}" } : { method, path };
});

let withoutRights: Identity;
let reader: Identity;
let registrar: Identity;
let operator: Identity;
beforeAll(async () => {
  withoutRights = await createUser([]);
  reader = await createUser(invoking(api, "*/GET/*"));
  registrar = await createUser(invoking(api, "*/POST/deployments", "*/DELETE/deployments/*"));
  operator = await createUser(invoking(api, "*"));
});

async function statusFor(identity: Identity, request: ApiRequest, signing: Signing = {}): Promise<number> {
  const { status } = await plane.askAdminUnsigned(await signedBy(identity, api, request, signing));
  return status;
}

/** The routes that the gateway refuses: the admin API itself never answers 403. */
async function shutFor(statusOf: (request: ApiRequest) => Promise<number>): Promise<readonly string[]> {
  const shut: string[] = [];
  for (const request of REQUESTS) if ((await statusOf(request)) === 403) shut.push(`${request.method} ${request.path}`);
  return shut;
}

const ALL = REQUESTS.map(({ method, path }) => `${method} ${path}`);

describe("every route of the admin API", () => {
  test("refuses unsigned requests of any method, as do unknown routes", async () => {
    expect(ALL.length).toBeGreaterThan(30);
    expect(await shutFor(async (request) => (await plane.askAdminUnsigned(request)).status)).toEqual(ALL);
    for (const method of ["HEAD", "OPTIONS", "PUT", "TRACE"]) {
      expect((await plane.askAdminUnsigned({ method, path: "/services" })).status, method).toBe(403);
    }
    for (const path of ["/", "/openapi", "/v3/services", "/no-such-route", "//services"]) {
      expect((await plane.askAdminUnsigned({ path })).status, path).toBe(403);
    }
  });

  test("refuses a signed caller without rights", async () => {
    expect(await shutFor((request) => statusFor(withoutRights, request))).toEqual(ALL);
  });

  test("allows a reader only GET, and refuses a query by POST", async () => {
    const writes = ALL.filter((route) => !route.startsWith("GET "));
    expect(await shutFor((request) => statusFor(reader, request))).toEqual(writes);
    expect(writes).toEqual(
      expect.arrayContaining(["POST /query", "POST /deployments", "PATCH /services/no-such-service"]),
    );
    expect(await statusFor(reader, { path: "/services" })).toBe(200);
  });

  test("is refused unless the policy of the caller names the route", async () => {
    const open = ["POST /deployments", "DELETE /deployments/no-such-id"];
    expect(await shutFor((request) => statusFor(registrar, request))).toEqual(ALL.filter((one) => !open.includes(one)));
  });

  test("accepts a caller that may invoke the API", async () => {
    expect(await shutFor((request) => statusFor(operator, request))).toEqual([]);
    expect(await statusFor(operator, { ...QUERY, headers: JSON_BODY })).toBe(200);
  });
});

describe("a wrongly signed request is refused, though its signer is entitled", () => {
  const asked = { ...QUERY, headers: JSON_BODY };
  const minutesFromNow = (minutes: number) => ({ at: new Date(Date.now() + minutes * 60_000) });

  test("with another secret, or by an unknown key", async () => {
    expect(await statusFor(operator, asked)).toBe(200);
    expect(await statusFor({ ...operator, secretAccessKey: `${operator.secretAccessKey}x` }, asked)).toBe(403);
    expect(await statusFor({ ...operator, accessKeyId: "AKIANOBODYKNOWSTHIS1" }, asked)).toBe(403);
  });

  test("if it was changed after it was signed", async () => {
    const signed = await signedBy(operator, api, asked);
    const changes: readonly Partial<ApiRequest>[] = [
      { body: '{"query":"SELECT target FROM sys_invocation"}' },
      { path: "/deployments" },
      { path: "/query?format=other" },
      { method: "PUT" },
      { headers: { ...signed.headers, "content-type": "text/plain" } },
    ];
    for (const change of changes) {
      const { status } = await plane.askAdminUnsigned({ ...signed, ...change });
      expect(status, JSON.stringify(change)).toBe(403);
    }
    expect((await plane.askAdminUnsigned(signed)).status).toBe(200);
  });

  // The emulator checks neither the service of a signature nor the header with the body's hash.
  test("for another Region, long ago, or ahead of time", async () => {
    for (const signing of [{ region: "eu-west-1" }, minutesFromNow(-16), minutesFromNow(16)]) {
      expect(await statusFor(operator, asked, signing), JSON.stringify(signing)).toBe(403);
    }
  });

  test("for the API of another control plane", async () => {
    const { status } = await new ControlPlane(aws.doubled).askAdminUnsigned(await signedBy(operator, api, asked));
    expect(status).toBe(403);
    const elsewhere = await signedBy(operator, aws.doubled.admin, asked);
    expect((await new ControlPlane(aws.doubled).askAdminUnsigned(elsewhere)).status).toBe(403);
  });
});
