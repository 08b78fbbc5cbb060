/** Tests the limits of a probe: its time, the number of its requests, and the guard of addresses. */
import { expect, test } from "vitest";
import { HttpsEndpoints } from "../../../shared/adapters/https/https-endpoints.ts";
import type { Deployment } from "../../../shared/core/model/deployment.ts";
import type { EngineSettings } from "../../../shared/engine/ports/engine-settings.ts";
import { TransportError, type Endpoints } from "../../../shared/engine/ports/endpoints.ts";
import type { Registry } from "../../../shared/engine/ports/registry.ts";
import { probeDeployment } from "../../../shared/engine/register/probe-deployment.ts";
import { deployment, destination } from "../../core/registry/sample-deployment.ts";
import { functionWith } from "../../harness/engine/answering-function.ts";
import { SteppedClock } from "../../stepped-clock.ts";

const ARN = "arn:aws:lambda:eu-west-1:123456789012:function:shop:live";

function engineOf(known: Deployment, endpoints: Endpoints) {
  const registry = { refresh: () => undefined, deployments: async () => [known] } as Pick<
    Registry,
    "refresh" | "deployments"
  > as Registry;
  const clock = new SteppedClock();
  const contacts = new Map<string, number>();
  const protocol = { min: 5, max: 7, deprecatedBelow: 5 };
  const settings = { clusterName: "test", protocol } as EngineSettings;
  return { endpoints, clock, registry, settings, bulkheads: { contacts } };
}

test("a deployment that never answers is given up after five seconds, and its exchange ends", async () => {
  let opened = 0;
  let abort: (error: Error) => void = () => undefined;
  const silent = new Promise<never>((_, reject) => (abort = reject));
  const endpoints: Endpoints = {
    open() {
      opened++;
      return {
        head: () => silent,
        next: async () => undefined,
        write: () => undefined,
        halfClose: () => undefined,
        abort: () => abort(new TransportError("aborted", "aborted")),
      };
    },
  };
  const known = deployment(1, []);
  const engine = engineOf(known, endpoints);
  const probing = probeDeployment(engine, known.id);
  await engine.clock.advance(4_999);
  expect(engine.clock.sleeping).toBe(1);
  await engine.clock.advance(1);
  expect(engine.clock.sleeping).toBe(0);
  expect(await probing).toMatchObject({
    tookMs: 5_000,
    result: { kind: "failed", code: "META0003", reason: expect.stringContaining("did not answer within 5000 ms") },
  });
  expect([opened, engine.clock.sleeping, engine.bulkheads.contacts.size]).toEqual([1, 0, 0]);
});

test("a probe reaches no address that the guard forbids to attempts", async () => {
  const endpoints = new HttpsEndpoints({ isClearGuarded: true });
  const known = deployment(1, [], { destination: destination("http://169.254.169.254/latest/") });
  const probe = await probeDeployment(engineOf(known, endpoints), known.id);
  endpoints.close();
  expect(probe).not.toHaveProperty("head");
  expect(probe!.result).toMatchObject({
    kind: "failed",
    code: "META0003",
    reason: expect.stringMatching(/forbidden address/),
  });
});

test("a function is asked by its ARN, and its compression is compared too", async () => {
  const { asked, endpoints } = functionWith({
    protocolMode: "REQUEST_RESPONSE",
    minProtocolVersion: 5,
    maxProtocolVersion: 7,
    lambdaCompression: "zstd",
    services: [],
  });
  const known = deployment(1, [], { destination: { kind: "lambda", arn: ARN }, protocolMode: "request-response" });
  const probe = await probeDeployment(engineOf(known, endpoints), known.id);
  expect(asked.map((one) => one.destination)).toEqual([{ arn: ARN }]);
  expect(probe!.result).toMatchObject({
    kind: "announced",
    differences: [{ member: "compression", found: "zstd" }],
  });
});
