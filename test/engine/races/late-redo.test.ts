/** Messages for an invocation that ended days ago: its sends may have expired since, and must not run again. */
import { expect, test } from "vitest";
import type { EmbeddedTable } from "../../../shared/adapters/embedded/embedded-table.ts";
import { attach } from "../../../shared/engine/ingress/attach.ts";
import type { Ended } from "../../../shared/engine/ports/submission.ts";
import { recover } from "../../../shared/engine/sweep/sweep.ts";
import { crashBefore } from "../../harness/engine/crash.ts";
import { sendOn, type Stage, textOf } from "../../harness/engine/engine-fixture.ts";
import { arrival } from "../../harness/engine/named-calls.ts";
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

test("an awakeable is completed days later if the process of the handler that completed it died at once", async () => {
  let awakeable = "";
  const stage = await open({
    waits: (ctx) => {
      const { id, result } = ctx.awakeable();
      awakeable = id;
      return ctx.get(result);
    },
    resolves: (ctx) => (ctx.resolveAwakeable(ctx.input, "it"), "done"),
  });
  const first = stage.actor({ soleOwner: true });
  first.startWorker();
  const { invocationId } = await stage.pulse.within(1_000, sendOn(first, "waits"));
  await stage.pulse.pass(1_000);
  const crash = crashBefore(first, arrival);
  void sendOn(first, "resolves", awakeable).catch(() => undefined);
  await stage.pulse.pass(1_000);
  expect(crash.at).toBeDefined();
  await stage.reboot();
  await stage.pulse.pass(3 * DAY_MS);
  const next = stage.actor({ soleOwner: true });
  next.startWorker();
  void recover(next.engine);
  await stage.pulse.pass(60_000);
  expect(textOf((await stage.pulse.within(1_000, attach(next.engine, invocationId))) as Ended)).toBe("it");
});

async function daysPass({ pulse, stores }: Stage, days: number): Promise<void> {
  for (let quarter = 0; quarter < 4 * days; quarter++) {
    await pulse.pass(DAY_MS / 4);
    await pulse.during((stores.table as EmbeddedTable).sweepExpired(pulse.nowMs() / 1000, 100));
  }
}
