/** A purge first gives the result to the invocations that have attached, because the result is gone afterwards. */
import { expect, test } from "vitest";
import { output } from "../../../shared/engine/ingress/attach.ts";
import { purge } from "../../../shared/engine/operate/purge.ts";
import type { Item } from "../../../shared/engine/ports/table.ts";
import { sweepOnce } from "../../../shared/engine/sweep/sweep.ts";
import { sendOn } from "../../harness/engine/engine-fixture.ts";
import { Gate } from "../../harness/engine/gate.ts";
import { stages } from "../../harness/engine/stages.ts";

const open = stages();
const MINUTE_MS = 60_000;

test("an attach during the end of an invocation gets the result, although a purge follows and the wake of the sink is lost", async () => {
  const [gate, ended] = [new Gate(), new Gate()];
  const stage = await open({
    awaited: async (ctx) => {
      await ctx.get(ctx.sleep(Number(ctx.input)));
      await gate.passed;
      return "told";
    },
    attaching: (ctx) => ctx.get(ctx.attach(ctx.input)),
  });
  const [driver, attaching] = [stage.actor(), stage.actor()];
  const awaited = await sendOn(driver, "awaited", String(stage.pulse.nowMs() + 5_000));
  driver.startWorker();
  await stage.pulse.pass(6_000);
  // The invocation has been parked, so it is in the open index. At the end, the driver takes it out of the index, and writes into
  // the lease record that the effects are performed. From here on, the driver's worker takes no new messages, but it finishes
  // those it has taken.
  void driver.stopWorker();
  const attached = await sendOn(attaching, "attaching", awaited.invocationId);
  attaching.process.before = ({ port, method, args }) => {
    if (port !== "table" || method !== "put" || !(args[0] as Item).sk.startsWith("sink#")) return undefined;
    void attaching.stopWorker();
    return ended.passed;
  };
  attaching.startWorker();
  await stage.pulse.pass(100);
  gate.open();
  await stage.pulse.pass(100);
  expect(await output(driver.engine, awaited.invocationId)).toMatchObject({ kind: "ended" });
  ended.open();
  await stage.pulse.pass(100);
  await stage.wipeHints();
  const worker = stage.actor();
  expect(await purge(worker.engine, awaited.invocationId)).toBe("done");
  worker.startWorker();
  for (let passes = 0; passes < 12; passes++) {
    await stage.pulse.pass(5 * MINUTE_MS);
    await stage.pulse.within(1_000, sweepOnce(worker.engine));
  }
  await stage.pulse.pass(1_000);
  expect(await output(worker.engine, attached.invocationId)).toMatchObject({
    kind: "ended",
    result: { kind: "success" },
  });
});
