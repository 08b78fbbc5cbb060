/** A purge by id removes every byte that the table has of the id: expired results, former lives, and pieces that no item names. */
import { randomBytes } from "node:crypto";
import { expect, test } from "vitest";
import type { EmbeddedTable } from "../../../shared/adapters/embedded/embedded-table.ts";
import type { InvocationId, Nonce } from "../../../shared/core/model/ids.ts";
import { freshId } from "../../../shared/engine/accept/invocation-ids.ts";
import { deliverSignal } from "../../../shared/engine/messaging/deliver.ts";
import { inspect } from "../../../shared/engine/operate/inspect.ts";
import { purge } from "../../../shared/engine/operate/purge.ts";
import { chunkForPut } from "../../../shared/engine/store/large-record.ts";
import { enveloped } from "../../../shared/engine/store/record-envelope.ts";
import { openUntilS } from "../../../shared/engine/store/ttl.ts";
import { consumeWake } from "../../../shared/engine/consume/consume-wake.ts";
import { runSweeper } from "../../../shared/engine/sweep/sweep.ts";
import { expireItems } from "../../../shared/wiring/expire-items.ts";
import { sendOn, type Actor, type Stage, type StageSettings } from "../../harness/engine/engine-fixture.ts";
import { placesOf } from "../../harness/engine/inflated-store.ts";
import { stages } from "../../harness/engine/stages.ts";

const open = stages();
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const KEY = { idempotencyKey: "once" };
const noise = randomBytes(400_000).toString("base64");
const large = (mark: string): string => `${mark} ${noise} ${mark}`;

async function play(settings: StageSettings = {}, soleOwner = false): Promise<{ stage: Stage; actor: Actor }> {
  const echo = { echo: (ctx: { input: string }) => ctx.input };
  const stage = await open(echo, { idempotencyRetentionMs: HOUR_MS, journalRetentionMs: HOUR_MS, ...settings });
  const actor = stage.actor({ soleOwner });
  actor.startWorker();
  return { stage, actor };
}

async function echoed({ stage, actor }: { stage: Stage; actor: Actor }, input: string): Promise<InvocationId> {
  const { invocationId } = await stage.pulse.within(1_000, sendOn(actor, "echo", input, KEY));
  await stage.pulse.pass(2_000);
  return invocationId;
}

const found = ({ actor }: { actor: Actor }, mark: string) => placesOf(actor.engine.table, mark);

test.each([0, HOUR_MS])("a result that expired after %i ms is purged as long as it is stored", async (retentionMs) => {
  const at = await play({ idempotencyRetentionMs: retentionMs, journalRetentionMs: retentionMs });
  const id = await echoed(at, large("FIRST"));
  await at.stage.pulse.pass(retentionMs + 1_000);
  expect(await inspect(at.actor.engine, id)).toBeUndefined();
  expect((await found(at, "FIRST")).length, "it is stored").toBeGreaterThan(0);
  expect(await at.stage.pulse.within(1_000, purge(at.actor.engine, id))).toBe("done");
  expect(await found(at, "FIRST")).toEqual([]);
});

test("a purge removes the former lives of the id, and their late drivers write nothing", async () => {
  const at = await play();
  const id = await echoed(at, large("FIRST"));
  await at.stage.pulse.pass(2 * HOUR_MS);
  expect(await echoed(at, "SECOND")).toBe(id);
  expect((await found(at, "FIRST")).length, "the former life is stored").toBeGreaterThan(0);
  expect(await at.stage.pulse.within(1_000, purge(at.actor.engine, id))).toBe("done");
  expect([await found(at, "FIRST"), await found(at, "SECOND")]).toEqual([[], []]);
  const { items } = await at.actor.engine.table.query(`inv#${id}`);
  expect(
    items.map((item) => item["tombstone"]),
    "a fence for each life",
  ).toEqual([true, true]);
  await at.stage.pulse.during(consumeWake(at.actor.engine, { invocationId: id, sentAtMs: 0, delayMs: 0 }));
  expect(at.stage.deployment.attempts).toHaveLength(2);
  expect(await echoed(at, "THIRD")).toBe(id);
  expect(await inspect(at.actor.engine, id)).toMatchObject({ status: "completed" });
});

test("a new life deletes the large input of the life that it replaces", async () => {
  const at = await play();
  await echoed(at, large("FIRST"));
  const pieces = async () => (await found(at, "FIRST")).filter((place) => place.includes(" blob#"));
  const before = await pieces();
  await at.stage.pulse.pass(2 * HOUR_MS);
  await echoed(at, "SECOND");
  expect((await pieces()).length).toBeLessThan(before.length);
});

test("a repeated request with a large input leaves no copy of that input", async () => {
  const at = await play();
  await echoed(at, "FIRST");
  await echoed(at, large("AGAIN"));
  expect(await found(at, "AGAIN")).toEqual([]);
});

test("a purge removes pieces that no item names, but not those of an acceptance that may be under way", async () => {
  const at = await play();
  const { engine } = at.actor;
  const id = await echoed(at, "FIRST");
  const leave = async (mark: string) => {
    const expiresAtS = openUntilS(engine.settings, engine.clock.nowMs());
    const b = enveloped(Buffer.from(large(mark)), 0);
    await chunkForPut(engine, { pk: `inv#${id}`, sk: "seg#000000", b, expiresAtS }, `crashed${mark}` as Nonce);
  };
  await leave("LONGAGO");
  await at.stage.pulse.pass(3 * HOUR_MS);
  await leave("JUSTNOW");
  expect(await at.stage.pulse.within(1_000, purge(engine, id))).toBe("done");
  expect(await found(at, "LONGAGO")).toEqual([]);
  expect((await found(at, "JUSTNOW")).length).toBeGreaterThan(0);
});

test("a value for an invocation that never existed is purged by the id", async () => {
  const at = await play();
  const id = freshId(at.actor.engine);
  const value = { kind: "success", value: Buffer.from(large("STRAY")) } as const;
  await at.stage.pulse.within(1_000, deliverSignal(at.actor.engine, id, "s17", { index: 17 }, value));
  expect((await found(at, "STRAY")).length).toBeGreaterThan(0);
  await at.stage.pulse.pass(2 * HOUR_MS);
  expect(await purge(at.actor.engine, id)).toBe("done");
  expect(await found(at, "STRAY")).toEqual([]);
  expect(await purge(at.actor.engine, id)).toBe("unknown");
});

test("after its retention an invocation leaves nothing, and neither does one that was purged or killed", async () => {
  const at = await play({}, true);
  const { engine, log } = at.actor;
  const table = at.stage.stores.table as EmbeddedTable;
  const { signal } = new AbortController();
  const { clock, activeInvocations } = engine;
  void expireItems({ table, clock, log, activeInvocations, everyMs: 60_000 }, signal);
  void runSweeper(engine, signal, 90_000);
  const ended = await echoed(at, large("FIRST"));
  const { invocationId: purged } = await at.stage.pulse.within(1_000, sendOn(at.actor, "echo", "SECOND"));
  await at.stage.pulse.pass(2_000);
  await at.stage.pulse.within(1_000, purge(engine, purged));
  await at.stage.pulse.pass(3 * DAY_MS);
  expect(await found(at, "FIRST")).toEqual([]);
  for (const id of [ended, purged]) expect((await table.query(`inv#${id}`)).items).toEqual([]);
});
