/** Tests that the queue of a key keeps its order and its edits, however long the holder keeps the key. */
import { expect, test } from "vitest";
import type { EmbeddedTable } from "../../../shared/adapters/embedded/embedded-table.ts";
import { DAY_MS, DAY_S, HOUR_MS } from "../../../shared/core/model/time-units.ts";
import { deliverSignal } from "../../../shared/engine/messaging/deliver.ts";
import { editState, stateOf } from "../../../shared/engine/operate/edit-state.ts";
import { PIECES } from "../../../shared/engine/store/item-keys.ts";
import { pause } from "../../../shared/engine/operate/orders.ts";
import { INBOX_RANGE, lockKey } from "../../../shared/engine/store/object-keys.ts";
import { objectPartition } from "../../../shared/engine/store/object-partition.ts";
import { sweep } from "../../../shared/engine/sweep/sweep.ts";
import { type Actor, LEASE_MS, type Stage } from "../../harness/engine/engine-fixture.ts";
import { keyed, objectOf, sendKeyed } from "../../harness/engine/object-stage.ts";
import type { Handler } from "../../harness/engine/script-context.ts";
import { ScriptState } from "../../harness/engine/script-state.ts";
import { stages } from "../../harness/engine/stages.ts";

const open = stages();
const target = { service: "O", key: "k" };
const bytes = (text: string) => new TextEncoder().encode(text);

const note: Handler = (ctx) => {
  const state = new ScriptState(ctx);
  state.set("notes", `${state.get("notes") ?? ""}${ctx.input} `);
  return "noted";
};

/** Lets days pass with a sweeper and a table that deletes what has expired. A worker that only waits would make them long. */
async function passDays(stage: Stage, { engine, ...actor }: Actor, days: number): Promise<void> {
  await stage.pulse.within(2 * LEASE_MS, actor.stopWorker());
  for (let day = 0; day < days; day++) {
    await stage.pulse.pass(DAY_MS);
    await stage.pulse.within(HOUR_MS, sweep(engine, stage.pulse.nowMs()));
    await (stage.stores.table as EmbeddedTable).sweepExpired(Math.floor(stage.pulse.nowMs() / 1000), 10_000);
  }
  actor.startWorker();
}

const holds: Handler = async (ctx) => await ctx.get(ctx.awakeable().result);

async function held(soleOwner: boolean) {
  const stage = await open({ holds, note }, { services: [objectOf(["holds", "note"])] });
  const actor = stage.actor({ soleOwner });
  actor.startWorker();
  const send = async (handler: string, input = "") => {
    const { invocationId } = await stage.pulse.during(sendKeyed(actor, keyed("O", "k", handler, input)));
    await stage.pulse.pass(LEASE_MS);
    return invocationId;
  };
  const holder = await send("holds");
  const release = async () => {
    await stage.pulse.during(
      deliverSignal(actor.engine, holder, "s17", { index: 17 }, { kind: "success", value: bytes("go on") }),
    );
    await stage.pulse.pass(10 * LEASE_MS);
    const values = [...(await stage.pulse.during(stateOf(actor.engine, target)))!];
    return Object.fromEntries(values.map(([name, value]) => [name, new TextDecoder().decode(value)]));
  };
  return { stage, actor, send, release };
}

test.each([true, false])(
  "calls that wait for months are served in their order, and a call that came later does not overtake them; sole owner: %s",
  async (soleOwner) => {
    const { stage, actor, send, release } = await held(soleOwner);
    await send("note", "first");
    await send("note", "second");
    await passDays(stage, actor, 25);
    await send("note", "third");
    await passDays(stage, actor, 25);
    await send("note", "fourth");
    expect(await release()).toEqual({ notes: "first second third fourth " });
  },
);

test("an edit behind a call that is paused meanwhile is applied", async () => {
  const { stage, actor, send, release } = await held(true);
  // The holder is extended while the call still stands between it and the edit, and not again before the edit would expire.
  await passDays(stage, actor, 10);
  const before = await send("note", "before");
  const edit = editState(actor.engine, target, "object", new Map([["notes", bytes("edited ")]]));
  expect(await stage.pulse.during(edit)).toBe("queued");
  await passDays(stage, actor, 25);
  await stage.pulse.during(pause(actor.engine, before));
  await stage.pulse.pass(LEASE_MS);
  await passDays(stage, actor, 20);
  expect(await release()).toEqual({ notes: "edited " });
});

test("many edits wait in one queue for months, and the last of them counts", async () => {
  const { stage, actor, release } = await held(true);
  for (let at = 0; at < 250; at++) {
    const edit = editState(actor.engine, target, "object", new Map([["notes", bytes(`edit ${at}`)]]));
    expect(await stage.pulse.during(edit)).toBe("queued");
  }
  await passDays(stage, actor, 60);
  expect(await release()).toEqual({ notes: "edit 249" });
});

test.each([
  ["small", 10],
  ["large", 700_000],
])("a %s edit that waits for half a year is applied in its turn", async (_, size) => {
  const { stage, actor, send, release } = await held(true);
  await send("note", "before");
  const large = "x".repeat(size);
  const values = new Map([
    ["notes", bytes("edited ")],
    ["more", bytes(large)],
  ]);
  expect(await stage.pulse.during(editState(actor.engine, target, "object", values))).toBe("queued");
  await passDays(stage, actor, 180);
  await send("note", "after");
  expect(await release()).toEqual({ notes: "edited after ", more: large });
  const pk = objectPartition(actor.engine, target);
  const nowS = stage.pulse.nowMs() / 1000;
  const [lock, tickets, pieces] = await Promise.all([
    actor.engine.table.get(lockKey(pk)),
    actor.engine.table.query(pk, INBOX_RANGE),
    actor.engine.table.query(pk, PIECES),
  ]);
  expect(lock?.["held"]).toBe(0);
  for (const { sk, expiresAtS } of [...tickets.items, ...pieces.items])
    // The pieces of a value belong to the state, and have no expiry.
    if (expiresAtS !== undefined) expect([sk, Number(expiresAtS) - nowS < 31 * DAY_S]).toEqual([sk, true]);
});
