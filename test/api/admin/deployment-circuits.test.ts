/** Tests how the admin API shows an open circuit: service, start, next attempt, and reason. */
import { expect, test } from "vitest";
import { deploymentHealth } from "../../../shared/core/registry/deployment-health.ts";
import { deploymentSummary } from "../../../shared/api/admin/deployments/deployment-routes.ts";
import { deployment, service } from "../../core/registry/sample-deployment.ts";

const OPEN = {
  service: "Billing",
  sinceMs: Date.UTC(2026, 0, 1),
  untilMs: Date.UTC(2026, 0, 1, 0, 1),
  pauseMs: 60_000,
  reason: "RT0007: the database is away",
};

test("a deployment shows its open circuits, and has no field for circuits while none is open", () => {
  const billing = deployment(1, [service("Billing", ["charge"])]);
  const view = { deployment: billing, status: "active" as const };
  expect(deploymentSummary({ ...view, circuits: [], health: { state: "unknown" } })).not.toHaveProperty("circuits");
  const circuits = [{ ...OPEN, deploymentId: billing.id }];
  expect(deploymentSummary({ ...view, circuits, health: deploymentHealth(circuits, undefined) })).toMatchObject({
    circuits: [
      {
        service: "Billing",
        open_since: "2026-01-01T00:00:00.000000000Z",
        next_attempt_at: "2026-01-01T00:01:00.000000000Z",
        reason: "RT0007: the database is away",
      },
    ],
  });
});
