/** Open invocations prevent the removal of a deployment if they are pinned to it, or if no other deployment serves them. */
import { expect, test } from "vitest";
import { restart } from "../../../shared/engine/operate/restart.ts";
import type { Item } from "../../../shared/engine/ports/table.ts";
import { neededBy } from "../../../shared/engine/register/needed-by.ts";
import { pinnedCounts } from "../../../shared/engine/register/deployments-view.ts";
import { removeDeployment } from "../../../shared/engine/register/change-deployments.ts";
import { readRegistry, writeDeployment } from "../../../shared/engine/register/registry-items.ts";
import { sweepOnce } from "../../../shared/engine/sweep/sweep.ts";
import { deployment, service } from "../../core/registry/sample-deployment.ts";
import { invocationPk, leaseRecordKey } from "../../../shared/engine/store/item-keys.ts";
import { load } from "../../../shared/engine/store/load.ts";
import { complete } from "../../harness/engine/ended-invocations.ts";
import { type Actor, callOn, LEASE_MS, sendOn, type Stage } from "../../harness/engine/engine-fixture.ts";
import { callKeyed, keyed, objectOf, sendKeyed } from "../../harness/engine/object-stage.ts";
import { AttemptFails, type Handler } from "../../harness/engine/script-context.ts";
import { stages } from "../../harness/engine/stages.ts";

const open = stages();
const MINUTE_MS = 60_000;
const FAR_MS = 4_000_000_000_000;
const handlers: Record<string, Handler> = {
  greet: () => "hello",
  fails: () => {
    throw new AttemptFails("hold it", { behavior: 1 });
  },
  naps: async (ctx) => {
    await ctx.get(ctx.sleep(FAR_MS));
    return "slept";
  },
};

async function play(): Promise<{ stage: Stage; actor: Actor }> {
  const stage = await open(handlers);
  return { stage, actor: stage.actor() };
}

async function needs({ engine }: Actor, limits?: Parameters<typeof neededBy>[3]) {
  const { deployments } = await readRegistry(engine.meta, "");
  return await neededBy(engine, deployments, deployments[0]!.id, limits);
}

test("before its first attempt, even a scheduled invocation needs the only deployment of its service", async () => {
  const { stage, actor } = await play();
  await sendOn(actor, "greet");
  await sendOn(actor, "greet", "", { startAtMs: FAR_MS });
  for (let i = 0; i < 12; i++) await stage.pulse.within(1_000, callOn(actor, "greet"));
  await stage.pulse.pass(LEASE_MS + MINUTE_MS);
  const told = { pinned: 0, unserved: 2, services: ["S"], isAtLeast: false };
  expect(await needs(actor)).toEqual(told);
  for (let passes = 0; passes < 3; passes++) {
    await stage.pulse.pass(5 * MINUTE_MS);
    await stage.pulse.within(1_000, sweepOnce(actor.engine));
    expect(await needs(actor)).toEqual(told);
  }
  const { id } = (await actor.engine.registry.deployments())[0]!;
  expect(await removeDeployment(actor.engine, id, false)).toEqual({ kind: "in-use", needs: told });
  expect((await removeDeployment(actor.engine, id, true)).kind).toBe("removed");
});

test("pinned invocations are counted apart from those without a pin, and completed ones are not counted", async () => {
  const { stage, actor } = await play();
  actor.startWorker();
  for (const handler of ["naps", "naps", "fails", "greet"]) await sendOn(actor, handler);
  await stage.pulse.pass(1_000);
  expect(await needs(actor)).toEqual({ pinned: 2, unserved: 1, services: ["S"], isAtLeast: false });
});

test("an invocation needs a deployment only if no other deployment serves its handler", async () => {
  const { stage, actor } = await play();
  const newer = deployment(2, [{ ...service("S", ["greet", "waves"]), revision: 2 }]);
  await writeDeployment(stage.stores.meta, "", newer, 1);
  actor.engine.registry.refresh();
  await sendOn(actor, "greet");
  const { deployments } = await readRegistry(actor.engine.meta, "");
  const counted = async () =>
    await Promise.all(
      deployments.map(async ({ id }) => [id, (await neededBy(actor.engine, deployments, id)).unserved] as const),
    );
  expect(new Map(await counted())).toEqual(new Map(deployments.map(({ id }) => [id, 0])));
  await sendOn(actor, "waves");
  expect(new Map(await counted())).toEqual(new Map(deployments.map(({ id }) => [id, id === newer.id ? 1 : 0])));
});

test("the count ends soon after it has found the maximum number of invocations, and reports that there may be more", async () => {
  const { actor } = await play();
  for (let i = 0; i < 150; i++) await sendOn(actor, "greet");
  const bounds = { entriesMax: 10_000, looksMax: 10_000, foundMax: 10_000 };
  expect(await needs(actor, bounds)).toMatchObject({ unserved: 150, isAtLeast: false });
  expect(await needs(actor, { ...bounds, foundMax: 50 })).toMatchObject({ unserved: 100, isAtLeast: true });
});

test("if more invocations need a look than the limit allows, the count is a lower bound, even if it is zero", async () => {
  const { stage, actor } = await play();
  await complete(stage.stores.table, actor.engine, 150, MINUTE_MS);
  const none = { pinned: 0, unserved: 0, services: [] };
  expect(await needs(actor)).toEqual({ ...none, isAtLeast: false });
  expect(await needs(actor, { entriesMax: 1e6, looksMax: 100, foundMax: 1 })).toEqual({ ...none, isAtLeast: true });
});

test("an invocation that was restarted on its deployment needs it while it waits for its key", async () => {
  const stage = await open({ add: () => "added", naps: handlers["naps"]! }, { services: [objectOf(["add", "naps"])] });
  const actor = stage.actor();
  const { invocationId } = await stage.pulse.within(1_000, callKeyed(actor, keyed("O", "k", "add")));
  actor.startWorker();
  await sendKeyed(actor, keyed("O", "k", "naps"));
  await stage.pulse.settle();
  expect(await restart(actor.engine, invocationId, 0, { kind: "keep" })).toMatchObject({ kind: "restarted" });
  expect(await needs(actor)).toMatchObject({ pinned: 2, unserved: 0 });
});

/** Changes the lease record of an invocation that naps, and leaves it in the open index. */
async function withRecord(change: (record: Item) => Item): Promise<Actor> {
  const { stage, actor } = await play();
  actor.startWorker();
  const { invocationId } = await sendOn(actor, "naps");
  await stage.pulse.settle();
  const { table } = stage.stores;
  const { nonce } = (await load(actor.engine, invocationId))!.invocation.acceptance;
  await table.put(change((await table.get(leaseRecordKey(invocationPk("", invocationId), nonce)))!));
  return actor;
}

test("an ended invocation that is still in the open index is pinned to nothing", async () => {
  const actor = await withRecord((record) => ({ ...record, status: "completed" }));
  expect(await needs(actor)).toMatchObject({ pinned: 0 });
  expect((await pinnedCounts(actor.engine)).size).toBe(0);
});

test("an invocation that the sweeper noted without a load counts with the pin of its journal", async () => {
  const actor = await withRecord(
    (record) =>
      Object.fromEntries(
        Object.entries({ ...record, status: "ready" }).filter(([name]) => name !== "deploymentId"),
      ) as Item,
  );
  expect(await needs(actor)).toMatchObject({ pinned: 1 });
  expect([...(await pinnedCounts(actor.engine)).values()]).toEqual([1]);
});
