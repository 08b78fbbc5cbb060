/** A child that ends while its caller's driver parks. */
import { expect, test } from "vitest";
import type { InvocationId } from "../../../shared/core/model/ids.ts";
import { load } from "../../../shared/engine/store/load.ts";
import type { Wake } from "../../../shared/engine/ports/queue.ts";
import { sendOn } from "../../harness/engine/engine-fixture.ts";
import { Gate } from "../../harness/engine/gate.ts";
import { AttemptFails } from "../../harness/engine/script-context.ts";
import { stages } from "../../harness/engine/stages.ts";

const open = stages();

test("if a child ends while the driver of its caller parks, the result of the child is written into the table", async () => {
  const gate = new Gate();
  const stage = await open({
    parent: async (ctx) => {
      const child = ctx.call("child");
      if (stage.deployment.of("parent").length === 1) await ctx.get(ctx.run("now", () => "done"));
      if (stage.deployment.of("child").length > 0) throw new AttemptFails("hold it", { behavior: 1 });
      return await ctx.get(child);
    },
    child: async () => {
      await gate.passed;
      return "late";
    },
  });
  const [actor, onlooker] = [stage.actor(), stage.actor()];
  actor.startWorker();
  const { invocationId } = await sendOn(actor, "parent");
  const statusOf = async (id: string) => (await load(onlooker.engine, id as InvocationId))!.invocation.phase.status;
  // After its park the driver has one thing left to do: it sends a message for the child that it still drives along. The child
  // ends before this send.
  actor.process.before = ({ port, method, args }) => {
    const [child] = stage.deployment.of("child");
    if (port !== "queue" || method !== "send" || child === undefined) return undefined;
    const id = child.start.debugId;
    if ((args[0] as Wake).invocationId !== id) return undefined;
    gate.open();
    return hasEnded(() => statusOf(id));
  };
  await stage.pulse.pass(100);
  gate.open();
  await stage.pulse.pass(1_000);
  expect(await statusOf(stage.deployment.of("child")[0]!.start.debugId)).toBe("completed");
  const parent = await load(onlooker.engine, invocationId);
  expect(parent!.invocation.phase.status).toBe("paused");
  expect([...parent!.arrivals.keys()]).toContain("c2");
});

async function hasEnded(status: () => Promise<string>): Promise<void> {
  while ((await status()) !== "completed") await new Promise<void>((resolve) => setImmediate(resolve));
  for (let round = 0; round < 4; round++) await new Promise<void>((resolve) => setImmediate(resolve));
}
