/**
 * A caller's headers and identity as the gateway hands them to the ingress function: several values of a header joined, and
 * cookies in a separate field.
 */
import { expect, test } from "vitest";
import { requestOf, type GatewayEvent } from "../../../functions/lambda/gateway-event.ts";
import { smallWorld } from "../../api/ingress/small-world.ts";

function eventOf(headers: Readonly<Record<string, string>>, more: object = {}): GatewayEvent {
  const http = { method: "POST", path: "/Greeter/echo", protocol: "HTTP/1.1", sourceIp: "1.2.3.4", userAgent: "curl" };
  const event = { version: "2.0", rawPath: "/Greeter/echo", headers, requestContext: { http }, ...more };
  return JSON.parse(JSON.stringify(event)) as GatewayEvent;
}

async function submitted(event: GatewayEvent) {
  const { app, submissions } = smallWorld();
  const { status } = await app(requestOf(event));
  return { status, headers: submissions[0]?.headers.slice(1), all: JSON.stringify(submissions) };
}

test("no credential in a header, a cookie, the query or the authorizer's fields reaches the submission", async () => {
  const secrets = {
    authorization: "Bearer secret,Bearer secret",
    cookie: "a=secret",
    "x-amz-security-token": "secret",
  };
  const { headers, all } = await submitted(
    eventOf(
      { ...secrets, "x-amzn-oidc-identity": "secret", "x-any": "one,two" },
      {
        cookies: ["a=secret", "b=secret"],
        rawQueryString: "X-Amz-Credential=secret&X-Amz-Security-Token=secret&x-amz-signature=secret",
        requestContext: {
          http: { method: "POST" },
          authorizer: { iam: { userArn: "arn:secret", accessKey: "secret" }, jwt: { claims: { sub: "secret" } } },
        },
      },
    ),
  );
  expect(headers).toEqual([{ key: "x-any", value: "one,two" }]);
  expect(all).not.toContain("secret");
});

const GATEWAY = { http: { method: "POST" }, requestId: "JKJaXmPLvHcESHA=" };

async function createdBy(authorizer: object, headers: Readonly<Record<string, string>> = {}, more: object = GATEWAY) {
  const { app, submissions } = smallWorld();
  const { status } = await app(requestOf(eventOf(headers, { requestContext: { ...more, authorizer } })));
  return [status, submissions[0]?.createdBy, submissions[0]?.headers.slice(1)];
}

const ARN = "arn:aws:sts::111122223333:assumed-role/Shop/ada";
const CLAIMS = { iss: "https://login.example.com", sub: "user-1", client_id: "shop" };

test("the submission has the caller that the gateway authenticated: IAM's ARN, or issuer and subject of the token", async () => {
  expect(await createdBy({ iam: { userArn: ARN } })).toEqual([200, ARN, []]);
  expect(await createdBy({ jwt: { claims: CLAIMS } })).toEqual([200, "https://login.example.com#user-1", []]);
});

test("a configured claim names the caller, and a token without the claim names none", async () => {
  const event = eventOf({}, { requestContext: { ...GATEWAY, authorizer: { jwt: { claims: CLAIMS } } } });
  expect(requestOf(event, "client_id").caller).toBe("https://login.example.com#shop");
  expect(requestOf(event, "email").caller).toBeUndefined();
  const listed = eventOf(
    {},
    { requestContext: { ...GATEWAY, authorizer: { jwt: { claims: { ...CLAIMS, sub: ["a"] } } } } },
  );
  expect(requestOf(listed).caller).toBeUndefined();
});

test("a request cannot forge the caller's header, whether or not the gateway has authenticated the caller", async () => {
  const forged = { "x-stepwell-caller": "arn:aws:iam::1:root", "x-any": "1" };
  const others = [{ key: "x-any", value: "1" }];
  expect(await createdBy({ iam: { userArn: ARN } }, forged)).toEqual([200, ARN, others]);
  expect(await createdBy({}, forged)).toEqual([200, undefined, others]);
});

test("an identity in an event that came through no gateway is ignored", async () => {
  const direct = { http: { method: "POST" } };
  expect(await createdBy({ iam: { userArn: ARN } }, {}, direct)).toEqual([200, undefined, []]);
  expect(await createdBy({ jwt: { claims: CLAIMS } }, {}, direct)).toEqual([200, undefined, []]);
});

test.each([
  ["a line end", "ada\r\nx-admin: 1"],
  ["letters beyond ASCII", "zoë"],
  ["half of a surrogate pair", "\ud800"],
  ["too many characters", "a".repeat(2_048)],
])("an identity with %s is refused, and nothing is submitted", async (_what, sub) => {
  expect(await createdBy({ jwt: { claims: { ...CLAIMS, sub } } })).toEqual([403, undefined, undefined]);
});

test("the forwarding headers of a proxy stay, and headers that only the ingress may set are dropped", async () => {
  const said = { "x-forwarded-for": "6.6.6.6, 1.2.3.4", "x-forwarded-proto": "https", forwarded: "for=6.6.6.6" };
  const spoofed = {
    "x-restate-ingress-path": "/Admin/all",
    "x-restate-signature-scheme": "v1",
    "x-restate-jwt-v1": "a.b.c",
    "transfer-encoding": "chunked",
    host: "evil.example",
    connection: "x-forwarded-for",
  };
  const { headers } = await submitted(eventOf({ ...spoofed, ...said }));
  expect(headers).toEqual(Object.entries(said).map(([key, value]) => ({ key, value })));
});

test.each([
  ["a line end", "a\r\nx-restate-id: spoofed"],
  ["a zero", "a\0b"],
  ["letters beyond ASCII", "ë"],
  ["half of a surrogate pair", "\ud800"],
  ["a delete", "a\u007fb"],
])("a value with %s is refused, and nothing is submitted", async (_what, value) => {
  expect(await submitted(eventOf({ "x-any": value }))).toMatchObject({ status: 400, headers: undefined });
});

test("names of inherited object members are accepted as header names", async () => {
  const event = {
    ...eventOf({}),
    headers: JSON.parse('{"__proto__":"a","constructor":"b","toString":"c"}') as Record<string, string>,
  };
  const { status, headers } = await submitted(event);
  expect([status, headers?.map(({ key }) => key).sort()]).toEqual([200, ["__proto__", "constructor", "toString"]]);
});
