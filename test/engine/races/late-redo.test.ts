/** Messages for an invocation that ended days ago: its sends may have expired since, and must not run again. */
import { expect, test } from "vitest";
import type { EmbeddedTable } from "../../../shared/adapters/embedded/embedded-table.ts";
import type { Stage } from "../../harness/engine/engine-fixture.ts";
import { keyed, objectOf, sendKeyed } from "../../harness/engine/object-stage.ts";
import { stages } from "../../harness/engine/stages.ts";

const open = stages();
const DAY_MS = 86_400_000;

test("a send by an exclusive handler does not run again when a client repeats the idempotency key days later", async () => {
  const kept = { idempotencyRetentionMs: 30 * DAY_MS, journalRetentionMs: 30 * DAY_MS };
  const stage = await open(
    { first: (ctx) => (ctx.send("second"), "done"), second: () => "done" },
    { services: [{ ...objectOf(["first"]), settings: kept }] },
  );
  const actor = stage.actor();
  actor.startWorker();
  const submission = { ...keyed("O", "k", "first"), idempotencyKey: "once" };
  await sendKeyed(actor, submission);
  await stage.pulse.pass(1_000);
  await daysPass(stage, 10);
  expect((await stage.pulse.within(0, sendKeyed(actor, submission))).status).toBe("previously-accepted");
  await stage.pulse.pass(60_000);
  expect(["first", "second"].map((name) => stage.deployment.of(name).length)).toEqual([1, 1]);
});

async function daysPass({ pulse, stores }: Stage, days: number): Promise<void> {
  for (let quarter = 0; quarter < 4 * days; quarter++) {
    await pulse.pass(DAY_MS / 4);
    await pulse.during((stores.table as EmbeddedTable).sweepExpired(pulse.nowMs() / 1000, 100));
  }
}
