/** Tests that the state of an ended holder is written before its journal is dropped, even if days have passed since the end. */
import { expect, test } from "vitest";
import { DAY_MS } from "../../../shared/core/model/time-units.ts";
import { stateOf } from "../../../shared/engine/operate/edit-state.ts";
import { purge, purgeJournal } from "../../../shared/engine/operate/purge.ts";
import { sweep, sweepAll } from "../../../shared/engine/sweep/sweep.ts";
import { after, endOf, lockUpdate } from "../../harness/engine/named-calls.ts";
import { crashBefore } from "../../harness/engine/crash.ts";
import { LEASE_MS } from "../../harness/engine/engine-fixture.ts";
import { addCount, keyed, objectOf, sendKeyed } from "../../harness/engine/object-stage.ts";
import { stages } from "../../harness/engine/stages.ts";

const open = stages();
const text = new TextDecoder();

test.each([
  ["a purge", 1.2, 5],
  ["a purge", 3, 5],
  ["a purge of the journal", 1.2, 5],
  ["a purge of the journal", 3, 5],
  ["a look at the listing", 3, 5],
  ["a look at the listing that drops the journal", 3, 2],
  ["an order to look at everything", 3, 5],
] as const)(
  "the state of a key that a dead driver did not give back is written by %s %d days after the end; the journal is kept for %i days",
  async (what, days, keptDays) => {
    const retention = { idempotencyRetentionMs: 6 * DAY_MS, journalRetentionMs: keptDays * DAY_MS };
    const stage = await open({ add: addCount }, { services: [objectOf(["add"])], ...retention });
    const front = stage.actor();
    const { invocationId } = await sendKeyed(front, keyed("O", "k", "add", "5"));
    const victim = stage.actor();
    const crash = crashBefore(victim, after(endOf(invocationId), lockUpdate));
    victim.startWorker();
    await stage.pulse.pass(1_000);
    expect(crash.at).toBeDefined();
    await stage.wipeHints();
    await stage.reboot();
    await stage.pulse.pass(days * DAY_MS);
    const next = stage.actor();
    const { engine } = next;
    if (what === "a purge") await stage.pulse.within(5_000, purge(engine, invocationId));
    else if (what === "a purge of the journal") await stage.pulse.within(5_000, purgeJournal(engine, invocationId));
    else if (what === "an order to look at everything") await stage.pulse.within(5_000, sweepAll(engine));
    else await stage.pulse.during(sweep(engine, stage.pulse.nowMs() - 4 * DAY_MS));
    const state = await stateOf(engine, { service: "O", key: "k" });
    expect(text.decode(state?.get("count"))).toBe("5");
    next.startWorker();
    await sendKeyed(next, keyed("O", "k", "add", "2"));
    await stage.pulse.pass(LEASE_MS);
    expect(text.decode((await stateOf(engine, { service: "O", key: "k" }))?.get("count"))).toBe("7");
  },
);
