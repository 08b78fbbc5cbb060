/**
 * Tests what a walk does with an entry of the listing if it does not load the invocation: one look puts the invocation into the
 * open index, where later passes find it even if the message that the look sends is lost.
 */
import { expect, test } from "vitest";
import { NO_RETRIES } from "../../../shared/core/invocation/segment.ts";
import type { Nonce, Token } from "../../../shared/core/model/ids.ts";
import type { Engine } from "../../../shared/engine/engine.ts";
import { leaseRecordItem } from "../../../shared/engine/store/lease-record.ts";
import { invocationPk } from "../../../shared/engine/store/item-keys.ts";
import type { Item } from "../../../shared/engine/ports/table.ts";
import { cancel } from "../../../shared/engine/operate/orders.ts";
import { inspect } from "../../../shared/engine/operate/inspect.ts";
import { noteUnread } from "../../../shared/engine/sweep/listing-looks.ts";
import { stages } from "../../harness/engine/stages.ts";
import { plantListed, wokenBy } from "../../harness/engine/planted.ts";

const open = stages();
const HOUR_MS = 3_600_000;

async function oneListed() {
  const stage = await open({ waits: () => "done" });
  const actor = stage.actor();
  const [id] = await plantListed(stage.stores.table, actor.engine, [actor.engine.clock.nowMs() - HOUR_MS]);
  const pk = invocationPk("", id!);
  const entry = (await stage.stores.table.get({ pk, sk: "seg#000000" }))!;
  const holds = async () => (await stage.stores.table.query(pk, { from: "hold#", below: "hold$" })).items;
  return { stage, actor, id: id!, entry, holds };
}

/** @returns the lease record of a driver that died after the claim, before its first renewal; no index shows the record */
function claimed({ settings }: Engine, entry: Item, id: Awaited<ReturnType<typeof oneListed>>["id"]): Item {
  const target = { service: "S", handler: "waits" };
  const place = { scheme: settings, id, nonce: entry["n"] as Nonce, target, createdAtMs: 0, expiresAtS: 1e10 };
  const token = "dead.1" as Token;
  const retries = NO_RETRIES;
  return leaseRecordItem(place, {
    base: 0,
    token,
    untilMs: 1,
    status: "running",
    attempts: 1,
    retries,
    keepUntilS: 1e10,
  });
}

test.each(["none", "one that its driver wrote before its first renewal"])(
  "the invocation is woken and is in the open index afterwards; its lease record before the look: %s",
  async (what) => {
    const { stage, actor, id, entry, holds } = await oneListed();
    if (what !== "none") await stage.stores.table.put(claimed(actor.engine, entry, id));
    await noteUnread(actor.engine, entry);
    expect(wokenBy(actor)).toEqual([id]);
    const [hold] = await holds();
    expect(hold).toMatchObject({ openPk: expect.any(String), lookAtMs: expect.any(Number) });
    const { items } = await stage.stores.table.queryIndex("open", String(hold!["openPk"]));
    expect(items.map(({ pk }) => pk)).toEqual([entry.pk]);
    // A second look finds the invocation in the open index, and leaves it to the walk over that index.
    await noteUnread(actor.engine, entry);
    expect(wokenBy(actor)).toEqual([id]);
  },
);

test("a lease record that changes while it is noted is read again", async () => {
  const { stage, actor, id, entry, holds } = await oneListed();
  const hold = claimed(actor.engine, entry, id);
  await stage.stores.table.put(hold);
  let updates = 0;
  actor.process.before = ({ method }) =>
    method === "update" && updates++ === 0
      ? stage.stores.table.put({ ...hold, token: "another.1" }).then(() => undefined)
      : undefined;
  await noteUnread(actor.engine, entry);
  expect(await holds()).toMatchObject([{ token: "another.1", openPk: expect.any(String) }]);
});

test("a cancel does not end an invocation as one that never began, if its dead driver may have begun an attempt", async () => {
  const stage = await open({ waits: () => "done" });
  const actor = stage.actor();
  const dead = { token: "dead.1" as Token, untilMs: 1 };
  const [id] = await plantListed(stage.stores.table, actor.engine, [actor.engine.clock.nowMs() - HOUR_MS], dead);
  const entry = (await stage.stores.table.get({ pk: invocationPk("", id!), sk: "seg#000000" }))!;
  await noteUnread(actor.engine, entry);
  await stage.pulse.during(cancel(actor.engine, id!));
  actor.startWorker();
  await stage.pulse.pass(10_000);
  expect(stage.deployment.of("waits")).toHaveLength(1);
  expect(await inspect(actor.engine, id!)).toMatchObject({ status: "completed" });
});
