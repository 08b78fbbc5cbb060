/** Joint reads: which concurrent readers share one read. */
import { expect, test } from "vitest";
import { JointReads } from "../../../shared/engine/store/load.ts";
import { Gate } from "../../harness/engine/gate.ts";

/** A store whose reads end when their gates open. A read returns the value that the store had when the read began. */
function slowStore() {
  const store = { value: "first", begun: 0, gates: [] as Gate[], broken: false };
  const reads = new JointReads(async (key: string) => {
    store.begun++;
    const [seen, gate] = [`${key}: ${store.value}`, new Gate()];
    store.gates.push(gate);
    await gate.passed;
    if (store.broken) throw new Error("the store is gone");
    return seen;
  });
  return { store, reads };
}

const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

test("a thousand reads that are requested during a read share the next read, which sees all earlier writes", async () => {
  const { store, reads } = slowStore();
  const first = reads.read("a");
  store.value = "second";
  const others = Array.from({ length: 1_000 }, () => reads.read("a"));
  store.gates[0]!.open();
  expect(await first).toBe("a: first");
  await turn();
  store.gates[1]!.open();
  expect(new Set(await Promise.all(others))).toEqual(new Set(["a: second"]));
  expect(store.begun).toBe(2);
});

test("a read that is requested during the shared read does not get the result of the shared read", async () => {
  const { store, reads } = slowStore();
  const asked = [reads.read("a"), reads.read("a")];
  store.gates[0]!.open();
  await turn();
  store.value = "third";
  asked.push(reads.read("a"));
  store.gates[1]!.open();
  await turn();
  store.gates[2]!.open();
  expect(await Promise.all(asked)).toEqual(["a: first", "a: first", "a: third"]);
});

test("different keys are read concurrently", async () => {
  const { store, reads } = slowStore();
  const both = [reads.read("a"), reads.read("b")];
  for (const gate of store.gates) gate.open();
  expect(await Promise.all(both)).toEqual(["a: first", "b: first"]);
});

test("a failed read does not fail the read that was requested during it", async () => {
  const { store, reads } = slowStore();
  const [first, second] = [reads.read("a"), reads.read("a")];
  store.broken = true;
  store.gates[0]!.open();
  await expect(first).rejects.toThrow("the store is gone");
  store.broken = false;
  await turn();
  store.gates[1]!.open();
  expect(await second).toBe("a: first");
  const third = reads.read("a");
  store.gates[2]!.open();
  expect(await third).toBe("a: first");
});
