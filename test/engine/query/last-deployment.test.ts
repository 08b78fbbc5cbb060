/** The deployment of the last attempt, which operators see before the journal has a pin. */
import { expect, test } from "vitest";
import type { InvocationId } from "../../../shared/core/model/ids.ts";
import { load } from "../../../shared/engine/store/load.ts";
import { type Actor, sendOn } from "../../harness/engine/engine-fixture.ts";
import { Gate } from "../../harness/engine/gate.ts";
import { stages } from "../../harness/engine/stages.ts";
import { rowsOf } from "../../harness/engine/statements.ts";

const open = stages();
const HOUR_MS = 3_600_000;

async function deploymentsOf(actor: Actor, id: InvocationId): Promise<Record<string, unknown> | undefined> {
  const columns = "status, pinned_deployment_id, last_attempt_deployment_id";
  return (await rowsOf(actor, `select ${columns} from sys_invocation where id = '${id}'`))[0];
}

async function played(handler: () => Promise<string>) {
  const stage = await open({ play: handler }, { retry: { initialIntervalMs: HOUR_MS, maxIntervalMs: HOUR_MS } });
  const actor = stage.actor();
  actor.startWorker();
  const { invocationId } = await sendOn(actor, "play");
  await stage.pulse.settle();
  const [deployment] = await actor.engine.registry.deployments();
  return { stage, actor, invocationId, deploymentId: deployment!.id };
}

test("the first attempt shows its deployment while it runs", async () => {
  const { actor, invocationId, deploymentId } = await played(() => new Gate().passed.then(() => "never"));
  expect(await deploymentsOf(actor, invocationId)).toEqual({
    status: "running",
    last_attempt_deployment_id: deploymentId,
  });
});

test("an attempt that failed without an entry shows its deployment to every process", async () => {
  const { stage, actor, invocationId, deploymentId } = await played(() => Promise.reject(new Error("boom")));
  const expected = { status: "backing-off", last_attempt_deployment_id: deploymentId };
  expect(await deploymentsOf(actor, invocationId)).toEqual(expected);
  const other = stage.actor();
  expect(await deploymentsOf(other, invocationId)).toEqual(expected);
  const loaded = await load(other.engine, invocationId);
  expect(loaded?.invocation.lastFailure).toMatchObject({ message: "boom", deploymentId });
});
