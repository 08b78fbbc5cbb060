/** Tests the health of a deployment by its circuits and its last answer. */
import { expect, test } from "vitest";
import type { OpenCircuit } from "../../../shared/core/model/circuit.ts";
import { deploymentHealth } from "../../../shared/core/registry/deployment-health.ts";

const circuit = (reason: string, sinceMs: number): OpenCircuit =>
  ({ deploymentId: "dp_1", service: "S", sinceMs, untilMs: 0, pauseMs: 0, reason }) as OpenCircuit;

test("a deployment without an open circuit is reachable if it has answered this process, else unknown", () => {
  expect(deploymentHealth([], 7)).toEqual({ state: "reachable", lastContactAtMs: 7 });
  expect(deploymentHealth([], undefined)).toEqual({ state: "unknown" });
});

test("attempts without an answer make it unreachable since the first such circuit, failures make it failing", () => {
  const refused = [circuit("RT0007: no", 1), circuit("RT0010: refused", 5), circuit("RT0010: refused", 3)];
  expect(deploymentHealth(refused, 2)).toEqual({
    state: "unreachable",
    sinceMs: 3,
    reason: "RT0010: refused",
    lastContactAtMs: 2,
  });
  expect(deploymentHealth([circuit("RT0007: no", 1)], undefined)).toEqual({
    state: "failing",
    sinceMs: 1,
    reason: "RT0007: no",
  });
});
