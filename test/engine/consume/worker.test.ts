/** The worker: how many messages it has at a time, and how long they stay hidden. */
import { expect, test } from "vitest";
import { runWorker } from "../../../shared/engine/consume/worker.ts";
import { StoreError } from "../../../shared/engine/ports/table.ts";
import { service } from "../../core/registry/sample-deployment.ts";
import { LEASE_MS, sendOn } from "../../harness/engine/engine-fixture.ts";
import { Gate } from "../../harness/engine/gate.ts";
import { stages } from "../../harness/engine/stages.ts";

const open = stages();
const SENDS = 40;
const AT_ONCE_MAX = 3;

test("a worker that has its maximum of messages takes the next message when the work of one ends", async () => {
  let [underWay, most] = [0, 0];
  const stage = await open({
    counts: async () => {
      most = Math.max(most, ++underWay);
      await stage.pulse.sleep(10);
      underWay--;
      return "";
    },
  });
  const actor = stage.actor();
  for (let n = 0; n < SENDS; n++) await stage.pulse.within(0, sendOn(actor, "counts"));
  const stopping = new AbortController();
  const worker = runWorker(actor.engine, stopping.signal, {
    concurrencyMax: AT_ONCE_MAX,
    perService: AT_ONCE_MAX,
    perDeployment: AT_ONCE_MAX,
  });
  await stage.pulse.pass(10 * SENDS);
  expect([stage.deployment.attempts.length, most, underWay]).toEqual([SENDS, AT_ONCE_MAX, 0]);
  stopping.abort();
  await stage.pulse.within(1_000, worker);
});

test("a service that never answers takes half of the slots, and messages of another service are handled at once", async () => {
  const gate = new Gate();
  const services = [service("Good", ["plain"])];
  const stage = await open({ hangs: async () => gate.passed.then(() => ""), plain: () => "done" }, { services });
  const actor = stage.actor();
  for (let n = 0; n < SENDS; n++) await stage.pulse.within(0, sendOn(actor, "hangs"));
  for (let n = 0; n < SENDS; n++) {
    const sent = sendOn(actor, "plain", "", { target: { service: "Good", handler: "plain" } });
    await stage.pulse.within(0, sent);
  }
  const stopping = new AbortController();
  const worker = runWorker(actor.engine, stopping.signal, { concurrencyMax: 16 });
  await stage.pulse.pass(100);
  const begun = () => ["hangs", "plain"].map((handler) => stage.deployment.of(handler).length);
  expect(begun()).toEqual([8, SENDS]);
  gate.open();
  await stage.pulse.pass(1_000);
  expect(begun()).toEqual([SENDS, SENDS]);
  stopping.abort();
  await stage.pulse.within(1_000, worker);
});

test("a worker that is stopped ends after its messages are done", async () => {
  const gate = new Gate();
  const stage = await open({ waits: async () => gate.passed.then(() => "") });
  const actor = stage.actor();
  await stage.pulse.within(0, sendOn(actor, "waits"));
  const stopping = new AbortController();
  let isOver = false;
  const worker = runWorker(actor.engine, stopping.signal, { concurrencyMax: 10 }).then(() => (isOver = true));
  await stage.pulse.pass(100);
  stopping.abort();
  await stage.pulse.pass(100);
  expect(isOver).toBe(false);
  gate.open();
  await stage.pulse.within(100, worker);
  expect(stage.deployment.attempts).toHaveLength(1);
});

test("a message stays hidden while a worker has it, and is not extended afterwards", async () => {
  const gate = new Gate();
  const stage = await open({ waits: async () => gate.passed.then(() => "") });
  const actor = stage.actor();
  actor.startWorker();
  await stage.pulse.within(0, sendOn(actor, "waits"));
  await stage.pulse.pass(3 * LEASE_MS);
  const extensions = () => actor.process.methods("queue").filter((method) => method === "extend").length;
  expect(extensions()).toBeGreaterThanOrEqual(6);
  expect(stage.deployment.attempts).toHaveLength(1);
  gate.open();
  await stage.pulse.settle();
  const before = extensions();
  await stage.pulse.pass(3 * LEASE_MS);
  expect(extensions()).toBe(before);
  expect(stage.deployment.attempts).toHaveLength(1);
});

test("a message whose work failed comes again, later each time", async () => {
  const stage = await open({ plain: () => "done" });
  const actor = stage.actor();
  await stage.pulse.within(0, sendOn(actor, "plain"));
  const failedAtMs: number[] = [];
  actor.process.before = ({ port, method }) => {
    if (port !== "table" || method !== "query" || failedAtMs.length === 3) return undefined;
    failedAtMs.push(stage.pulse.nowMs());
    return Promise.reject(new StoreError("the store does not answer"));
  };
  actor.startWorker();
  await stage.pulse.pass(2 * LEASE_MS);
  expect(stage.deployment.attempts).toHaveLength(1);
  const [first, second, third] = failedAtMs;
  expect(third! - second!).toBeGreaterThan(second! - first!);
});
