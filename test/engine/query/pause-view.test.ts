/** Why an invocation is paused: an operator's order, a failure, or the deaths of the processes that drove it. */
import { expect, test } from "vitest";
import type { InvocationId } from "../../../shared/core/model/ids.ts";
import { pause } from "../../../shared/engine/operate/orders.ts";
import { resume } from "../../../shared/engine/operate/resume.ts";
import { showInvocation } from "../../../shared/engine/query/show-invocation.ts";
import { pauseUnread } from "../../../shared/engine/sweep/dead-letters.ts";
import { sendOn } from "../../harness/engine/engine-fixture.ts";
import { AttemptFails } from "../../harness/engine/script-context.ts";
import { stages } from "../../harness/engine/stages.ts";

const open = stages();
const HOUR_MS = 3_600_000;
const ADA = "arn:aws:iam::111122223333:user/ada";

async function play() {
  const stage = await open(
    {
      naps: async (ctx) => await ctx.get(ctx.sleep(4_000_000_000_000)),
      stumbles: () => {
        throw new Error("never well");
      },
      pauses: () => {
        throw new AttemptFails("hold it", { behavior: 1 });
      },
    },
    { retry: { initialIntervalMs: HOUR_MS, maxIntervalMs: HOUR_MS } },
  );
  const actor = stage.actor();
  actor.startWorker();
  const sent = async (handler: string): Promise<InvocationId> => {
    const { invocationId } = await sendOn(actor, handler);
    await stage.pulse.settle();
    return invocationId;
  };
  const shown = async (id: InvocationId) => (await showInvocation(actor.engine, id))!;
  return { stage, actor, sent, shown };
}

test("a pause by an order shows the operator, the moment and the failure before it", async () => {
  const { stage, actor, sent, shown } = await play();
  const id = await sent("stumbles");
  expect((await shown(id)).pause).toBeUndefined();
  const atMs = stage.pulse.nowMs();
  await stage.pulse.within(1_000, pause(actor.engine, id, ADA));
  await stage.pulse.settle();
  const { pause: told, waitsFor } = await shown(id);
  expect(told).toMatchObject({ reason: "order", by: ADA, failure: { message: "never well" } });
  expect(told!.atMs).toBeGreaterThanOrEqual(atMs);
  expect(waitsFor).toMatchObject([{ kind: "resume", sinceMs: told!.atMs }]);
});

test("a pause by a failure shows the failure, and so does the next pause by a failure after an order to resume", async () => {
  const { stage, actor, sent, shown } = await play();
  const id = await sent("pauses");
  const failure = { message: "hold it" };
  expect(await shown(id)).toMatchObject({ status: "paused", pause: { reason: "failure", failure } });
  await stage.pulse.within(1_000, resume(actor.engine, id, { kind: "keep" }, ADA));
  await stage.pulse.settle();
  const again = (await shown(id)).pause!;
  expect(again).toMatchObject({ reason: "failure", failure });
  expect(again.by).toBeUndefined();
});

test("the pause of an invocation whose drivers died shows that reason", async () => {
  const { actor, sent, shown } = await play();
  const id = await sent("naps");
  await pauseUnread(actor.engine, id, "it ended three processes");
  expect(await shown(id)).toMatchObject({
    status: "paused",
    pause: { reason: "process-ends", failure: { errorCode: "RT0006", message: "it ended three processes" } },
  });
});
