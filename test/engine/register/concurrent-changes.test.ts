/** Changes of rules, deployments and subscriptions that come at the same time, in one process and in several over one store. */
import { expect, test } from "vitest";
import type { SubscriptionId } from "../../../shared/core/model/ids.ts";
import type { Engine } from "../../../shared/engine/engine.ts";
import { changeRegistry } from "../../../shared/engine/register/change-registry.ts";
import { changeKafka, readKafka } from "../../../shared/engine/register/kafka-items.ts";
import { readRegistry, registryPk } from "../../../shared/engine/register/registry-items.ts";
import { applyRules, listRules, removeRules } from "../../../shared/engine/register/rules.ts";
import { deployment, service } from "../../core/registry/sample-deployment.ts";
import { stages } from "../../harness/engine/stages.ts";

const CHANGES = 30;
const PROCESSES = 12;
/** All tries of one change wait for less than this. */
const TRIES_MS = 12_000;

const open = stages();

const numbers = (count: number): readonly number[] => Array.from({ length: count }, (_, at) => at);

async function makeRule(engine: Engine, pattern: string): Promise<string> {
  return (await applyRules(engine, [{ pattern, limits: { concurrency: 1 } }])).kind;
}

async function registerDeployment(engine: Engine, number: number): Promise<string> {
  const registered = deployment(number, [service(`Service${number}`, ["run"])]);
  return (await changeRegistry(engine, () => ({ kind: "write", deployment: registered }))).kind;
}

async function subscribe(engine: Engine, number: number): Promise<boolean> {
  const id = `sub_${number}` as SubscriptionId;
  const subscription = { id, source: "kafka://main/orders", sink: "service://S/run", options: {} };
  return await changeKafka(engine, () => ({ kind: "subscription", subscription }));
}

test("changes that come to one process at the same time all succeed, each at its first try", async () => {
  const stage = await open({});
  const { engine } = stage.actor();
  const { transact } = engine.meta;
  let writes = 0;
  engine.meta.transact = async (all) => (writes++, await transact.call(engine.meta, all));
  const made = await Promise.all(
    numbers(CHANGES).map((number) => {
      if (number % 3 === 0) return registerDeployment(engine, 2 + number);
      return number % 3 === 1 ? makeRule(engine, `scope${number}`) : subscribe(engine, number);
    }),
  );
  expect(new Set(made)).toEqual(new Set(["write", "changed", true]));
  expect(writes).toBe(CHANGES);
});

test("thirty rules that are made at the same time in one process are all stored, and all deleted", async () => {
  const stage = await open({});
  const { engine } = stage.actor();
  const patterns = numbers(CHANGES).map((number) => `scope${number}`);
  const made = await Promise.all(patterns.map((pattern) => makeRule(engine, pattern)));
  expect(new Set(made)).toEqual(new Set(["changed"]));
  expect((await listRules(engine)).map(({ pattern }) => pattern)).toEqual(patterns.toSorted());
  const removed = await Promise.all(patterns.map((pattern) => removeRules(engine, [{ pattern }])));
  expect(new Set(removed.map(({ kind }) => kind))).toEqual(new Set(["changed"]));
  expect(await listRules(engine)).toEqual([]);
});

test("rules, deployments and subscriptions that several processes make at the same time are all stored", async () => {
  const stage = await open({});
  const engines = numbers(PROCESSES).map(() => stage.actor().engine);
  const made = await stage.pulse.within(
    PROCESSES * TRIES_MS,
    Promise.all(
      engines.flatMap((engine, at) => [
        makeRule(engine, `a${at}`),
        registerDeployment(engine, 2 + at),
        makeRule(engine, `b${at}`),
        subscribe(engine, at),
      ]),
    ),
  );
  expect(new Set(made)).toEqual(new Set(["changed", "write", true]));
  const { version, rules, deployments } = await readRegistry(engines[0]!.meta, "");
  expect([rules.length, deployments.length]).toEqual([2 * PROCESSES, 1 + PROCESSES]);
  expect(version).toBe(1 + 3 * PROCESSES);
  expect((await readKafka(engines[0]!)).subscriptions).toHaveLength(PROCESSES);
});

/** Another process changes the registry before each of the first `times` writes of the engine. @returns the moments of all writes */
function racing({ meta, clock }: Engine, times: number): readonly number[] {
  const { transact } = meta;
  const writtenAtMs: number[] = [];
  meta.transact = async (writes) => {
    writtenAtMs.push(clock.nowMs());
    const { version } = await readRegistry(meta, "");
    if (writtenAtMs.length <= times) await meta.put({ pk: registryPk(""), sk: "head", version: version + 1 });
    return await transact.call(meta, writes);
  };
  return writtenAtMs;
}

test("a change that is refused once is tried again at once", async () => {
  const stage = await open({});
  const { engine } = stage.actor();
  const writtenAtMs = racing(engine, 1);
  expect(await makeRule(engine, "acme")).toBe("changed");
  expect(writtenAtMs).toHaveLength(2);
});

test("a change that is refused again and again waits ever longer between its tries, and gives its turn on in the end", async () => {
  const stage = await open({});
  const { engine } = stage.actor();
  // The longest waits.
  engine.ids.random = (size) => new Uint8Array(size).fill(255);
  const writtenAtMs = racing(engine, 16);
  const refused = makeRule(engine, "acme");
  const next = makeRule(engine, "next");
  refused.catch(() => undefined);
  expect(await stage.pulse.within(TRIES_MS, next)).toBe("changed");
  await expect(refused).rejects.toMatchObject({
    code: "META0005",
    message: expect.stringContaining("at each of 16 tries"),
  });
  const waitsMs = writtenAtMs.slice(1, 16).map((atMs, at) => atMs - writtenAtMs[at]!);
  expect(waitsMs).toEqual([0, 50, 100, 200, 400, 800, ...Array.from({ length: 9 }, () => 1_000)]);
  expect((await listRules(engine)).map(({ pattern }) => pattern)).toEqual(["next"]);
});
