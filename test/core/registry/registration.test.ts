/** Tests the rules of registrations. */
import { describe, expect, it } from "vitest";
import type { Deployment } from "../../../shared/core/model/deployment.ts";
import type { Service } from "../../../shared/core/model/service.ts";
import {
  alreadyRegistered,
  decideRegistration,
  type Registration,
} from "../../../shared/core/registry/registration.ts";
import { deployment, deploymentId, destination, service } from "./sample-deployment.ts";

const GREETER = service("Greeter", ["greet", "wave"]);

function registration(uri: string, services: readonly Service[], more: Partial<Registration> = {}): Registration {
  return {
    destination: destination(uri),
    additionalHeaders: {},
    metadata: {},
    manifest: { protocolMode: "bidi-stream", minProtocolVersion: 5, maxProtocolVersion: 7, services },
    force: false,
    breaking: false,
    freshId: deploymentId(99),
    nowMs: 5000,
    ...more,
  };
}

describe("a registration", () => {
  it("creates a deployment whose new services start at revision 1", () => {
    const decision = decideRegistration([], registration("http://a:1/", [GREETER], { sdkVersion: "sdk/1" }));
    expect(decision).toMatchObject({
      kind: "created",
      deployment: {
        id: deploymentId(99),
        createdAtMs: 5000,
        sdkVersion: "sdk/1",
        services: [{ name: "Greeter", revision: 1 }],
      },
    });
  });

  it("counts revisions from the highest of all deployments", () => {
    const existing = [deployment(1, [{ ...GREETER, revision: 3 }]), deployment(2, [{ ...GREETER, revision: 2 }])];
    const decision = decideRegistration(existing, registration("http://a:1/", [GREETER, service("Other", ["x"])]));
    expect(decision).toMatchObject({ kind: "created", deployment: { services: [{ revision: 4 }, { revision: 1 }] } });
  });

  it.each([
    ["the same address", "http://host-1:9080/"],
    ["the address with another scheme", "https://host-1:9080/"],
    ["the address without its last slash", "http://host-1:9080"],
    ["the address with capitals in its host", "http://HOST-1:9080/"],
  ])("under %s is refused, with any services", (_name, uri) => {
    const existing = [deployment(1, [GREETER])];
    for (const offered of [GREETER, service("Greeter", ["greet", "wave", "bow"])]) {
      const decision = decideRegistration(existing, registration(uri, [offered], { breaking: true }));
      expect(decision).toMatchObject({ kind: "refused", error: { code: "META0004" } });
    }
  });

  it("is refused with a message that shows the replacing request, or only the flag to add if the address has a secret", () => {
    const reason = (deployed: Deployment) => alreadyRegistered(deployed).message;
    expect(reason(deployment(1, [GREETER]))).toContain('POST /deployments {"uri":"http://host-1:9080/","force":true}');
    const arn = "arn:aws:lambda:eu-west-1:123456789012:function:f:1";
    expect(reason(deployment(1, [GREETER], { destination: { kind: "lambda", arn } }))).toContain(
      `POST /deployments {"arn":"${arn}","force":true}`,
    );
    const masked = reason(deployment(1, [GREETER], { destination: destination("http://host-1:9080/?key=canary") }));
    expect(masked).toContain('add "force":true to the same request');
    expect(masked).not.toContain("canary");
  });

  it("of a function is identified by its exact ARN", () => {
    const arn = "arn:aws:lambda:eu-west-1:123456789012:function:f:1";
    const existing = [deployment(1, [GREETER], { destination: { kind: "lambda", arn } })];
    const at = (one: string) =>
      decideRegistration(existing, registration("", [GREETER], { destination: { kind: "lambda", arn: one } })).kind;
    expect([at(arn), at(`${arn}1`)]).toEqual(["refused", "created"]);
  });

  it("under another path is another deployment", () => {
    const decision = decideRegistration([deployment(1, [GREETER])], registration("http://host-1:9080/v2", [GREETER]));
    expect(decision).toMatchObject({ kind: "created", deployment: { services: [{ revision: 2 }] } });
  });

  it("by force keeps id and creation time, and raises revisions", () => {
    const decision = decideRegistration(
      [deployment(1, [GREETER]), deployment(2, [{ ...GREETER, revision: 2 }])],
      registration("http://host-1:9080/", [service("Greeter", ["bow"], { type: "object" })], { force: true }),
    );
    expect(decision).toMatchObject({
      kind: "replaced",
      deployment: { id: deploymentId(1), createdAtMs: 1001, services: [{ type: "object", revision: 3 }] },
    });
  });

  it("by force is refused if two deployments share the address", () => {
    const twin: Deployment = { ...deployment(2, [GREETER]), destination: destination("http://host-1:9080/") };
    const decision = decideRegistration(
      [deployment(1, [GREETER]), twin],
      registration("http://host-1:9080/", [GREETER], { force: true }),
    );
    expect(decision).toMatchObject({ kind: "refused", error: { code: "META0017" } });
  });

  it.each(["restate", "restateFoo", "RESTATE.x", "openapi"])(
    "with the reserved name %s is refused, even by force",
    (name) => {
      const decision = decideRegistration([], registration("http://a:1/", [service(name, ["x"])], { force: true }));
      expect(decision).toMatchObject({ kind: "refused", error: { code: "META0005" } });
    },
  );

  it.each([
    ["a changed type", service("Greeter", ["greet", "wave"], { type: "workflow" }), /type from service to workflow/],
    ["a lost handler", service("Greeter", ["greet"]), /lose handlers of revision 1: wave/],
  ])("with %s is refused unless it allows breaking changes", (_name, changed, reason) => {
    const existing = [deployment(1, [GREETER])];
    const refused = decideRegistration(existing, registration("http://a:1/", [changed]));
    expect(refused).toMatchObject({
      kind: "refused",
      error: { code: "META0006", detail: expect.stringMatching(reason) },
    });
    for (const allowed of [{ breaking: true }, { force: true }]) {
      expect(decideRegistration(existing, registration("http://a:1/", [changed], allowed)).kind).toBe("created");
    }
  });

  it("is compared with the latest revision only", () => {
    const existing = [deployment(1, [GREETER]), deployment(2, [{ ...service("Greeter", ["greet"]), revision: 2 }])];
    expect(decideRegistration(existing, registration("http://a:1/", [service("Greeter", ["greet"])])).kind).toBe(
      "created",
    );
  });
});
