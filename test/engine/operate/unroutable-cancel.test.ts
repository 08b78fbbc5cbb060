/** A cancel of an invocation whose service has no deployment any more. */
import { expect, test } from "vitest";
import { cancel } from "../../../shared/engine/operate/orders.ts";
import { inspect } from "../../../shared/engine/operate/inspect.ts";
import { writeDeployment } from "../../../shared/engine/register/registry-items.ts";
import { deployment, service } from "../../core/registry/sample-deployment.ts";
import { sendOn } from "../../harness/engine/engine-fixture.ts";
import { stages } from "../../harness/engine/stages.ts";

const open = stages();

test("a cancel of an invocation without a deployment does not turn its backoff into a loop", async () => {
  const stage = await open(
    { waits: async (ctx) => await ctx.get(ctx.awakeable().result) },
    { retry: { initialIntervalMs: 10_000, maxIntervalMs: 10_000 } },
  );
  const actor = stage.actor();
  actor.startWorker();
  const { invocationId } = await sendOn(actor, "waits");
  await stage.pulse.settle();
  // The deployment stays, and offers another service instead.
  await writeDeployment(stage.stores.meta, "", deployment(1, [service("T", ["other"])]), 1);
  await stage.pulse.pass(2_000);
  actor.process.calls.length = 0;
  await cancel(actor.engine, invocationId);
  await stage.pulse.pass(60_000);
  const view = await inspect(actor.engine, invocationId);
  expect(view).toMatchObject({ status: "backing-off", lastFailure: { errorCode: "RT0011" } });
  expect(view!.attempts).toBeLessThan(12);
  expect(view!.entries.filter(({ type }) => type === "Notification: Signal")).toHaveLength(1);
});
