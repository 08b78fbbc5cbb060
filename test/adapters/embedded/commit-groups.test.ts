/** Tests how the writes of one store form groups, and what a failed group leaves behind. */
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { openEmbeddedQueue, type EmbeddedQueue } from "../../../shared/adapters/embedded/embedded-queue.ts";
import { EmbeddedTable } from "../../../shared/adapters/embedded/embedded-table.ts";
import { openEmbeddedTimers, type EmbeddedTimers } from "../../../shared/adapters/embedded/embedded-timers.ts";
import { openStore, type Store } from "../../../shared/adapters/embedded/store.ts";
import { StoreError } from "../../../shared/engine/ports/table.ts";
import { invocation } from "../../contracts/queue-contract.ts";
import { removeDirectory, temporaryDirectory } from "../../contracts/temporary-directory.ts";
import { SteppedClock } from "../../stepped-clock.ts";

/** Wraps the writes of a store: counts batches, and delays or fails them on request. */
class Disk {
  batches: number[] = [];
  isFull = false;
  /** While this promise is set, batches wait for it before they are written. */
  gate: Promise<void> | undefined;

  constructor(opened: Store) {
    const { writeGroup } = opened;
    opened.writeGroup = async (operations) => {
      this.batches.push(operations.length);
      await this.gate;
      if (this.isFull) throw new Error("ENOSPC: no space left on device");
      await writeGroup(operations);
    };
  }
}

let dir: string;
let clock: SteppedClock;
let store: Store;
let disk: Disk;
let table: EmbeddedTable;
let queue: EmbeddedQueue;
let timers: EmbeddedTimers;

async function open(): Promise<void> {
  store = await openStore(dir, { kind: "journal" });
  disk = new Disk(store);
  table = new EmbeddedTable(store);
  queue = await openEmbeddedQueue(store, clock);
  timers = await openEmbeddedTimers(store, queue, clock);
}

beforeEach(async () => {
  dir = await temporaryDirectory();
  clock = new SteppedClock();
  await open();
});

afterEach(async () => {
  await store.close();
  await removeDirectory(dir);
});

const message = (n: number) => ({ invocationId: invocation(n), sentAtMs: clock.nowMs(), delayMs: 0 });
const timer = (n: number) => ({ name: `t${n}`, invocationId: invocation(n), wakeAtMs: clock.nowMs() + 1000 });

function gate(): () => void {
  let open!: () => void;
  const closed = new Promise<void>((resolve) => (open = resolve));
  disk.gate = closed;
  return () => {
    if (disk.gate === closed) disk.gate = undefined;
    open();
  };
}

const turns = async (count = 5): Promise<void> => {
  for (let turn = 0; turn < count; turn++) await new Promise((resolve) => setImmediate(resolve));
};

describe("group commit", () => {
  test("writes of one tick to table, queue and timers are one synced batch", async () => {
    await Promise.all([
      table.put({ pk: "a", sk: "1" }),
      table.put({ pk: "b", sk: "1" }),
      queue.send(message(1)),
      timers.at(timer(1)),
    ]);
    expect(disk.batches).toEqual([4]);
  });

  test("writes during a running batch gather in the next one", async () => {
    const release = gate();
    const first = table.put({ pk: "a", sk: "1" });
    await turns();
    const others = [2, 3, 4].map((n) => table.put({ pk: "a", sk: `${n}` }));
    await turns();
    expect(disk.batches).toEqual([1]);
    release();
    await Promise.all([first, ...others]);
    expect(disk.batches).toEqual([1, 3]);
  });

  test("an ack is not written at once, but reaches the disk without any further write", async () => {
    await queue.send(message(1));
    const [delivery] = await queue.receive(1, 1000, 0);
    await queue.ack(delivery!.receipt);
    expect(disk.batches).toEqual([1]);
    while (disk.batches.length < 2) await new Promise((resolve) => setTimeout(resolve, 5));
    await store.close();
    await open();
    expect(queue.size).toBe(0);
  });

  test("reads return only durable writes", async () => {
    const release = gate();
    const written = table.put({ pk: "a", sk: "1", listPk: "l", listSk: "1" });
    await turns();
    expect(await table.get({ pk: "a", sk: "1" })).toBeUndefined();
    expect((await table.query("a")).items).toEqual([]);
    expect((await table.queryIndex("list", "l")).items).toEqual([]);
    release();
    await written;
    expect(await table.get({ pk: "a", sk: "1" })).toBeDefined();
  });

  test("a condition is checked against the latest pending write, even after an earlier write became durable", async () => {
    const key = { pk: "a", sk: "1" };
    const releaseFirst = gate();
    const first = table.put({ ...key, n: 1 });
    await turns();
    const second = table.update(key, { add: { n: 1 } });
    const releaseSecond = gate();
    releaseFirst();
    await first;
    expect(await table.get(key)).toEqual({ ...key, n: 1 });
    const third = table.put({ ...key, n: 9 }, { kind: "equal", attribute: "n", value: 1 });
    releaseSecond();
    expect(await second).toEqual({ written: true, item: { ...key, n: 2 } });
    expect(await third).toEqual({ written: false, existing: { ...key, n: 2 } });
  });

  test("a refusal is reported only after the write that caused it is durable", async () => {
    const release = gate();
    const winner = table.put({ pk: "a", sk: "1", by: "first" });
    let answered = false;
    const loser = table.put({ pk: "a", sk: "1", by: "second" }, { kind: "absent" }).finally(() => (answered = true));
    const inTransaction = table.transact([{ kind: "put", item: { pk: "a", sk: "1" }, condition: { kind: "absent" } }]);
    await turns();
    expect(answered).toBe(false);
    release();
    expect(await winner).toEqual({ written: true });
    expect(await loser).toEqual({ written: false, existing: { pk: "a", sk: "1", by: "first" } });
    expect(await inTransaction).toEqual({ written: false, refused: [true] });
  });
});

describe("a failed write", () => {
  test("rejects its whole group and leaves none of its writes visible; the store works again when there is space", async () => {
    await table.put({ pk: "a", sk: "0", n: 0, openPk: "o", openSk: "0" });
    disk.isFull = true;
    const writes = [
      table.put({ pk: "a", sk: "1", openPk: "o", openSk: "1" }),
      table.update({ pk: "a", sk: "0" }, { add: { n: 1 } }),
      queue.send(message(1)),
      timers.at(timer(1)),
      // This condition fails because of a write that did not become durable, so the state of the item is unknown.
      table.put({ pk: "a", sk: "1" }, { kind: "absent" }),
    ];
    for (const outcome of await Promise.allSettled(writes))
      expect(outcome).toMatchObject({ status: "rejected", reason: expect.any(StoreError) });
    expect((await table.query("a")).items).toEqual([{ pk: "a", sk: "0", n: 0, openPk: "o", openSk: "0" }]);
    expect((await table.queryIndex("open", "o")).items).toHaveLength(1);
    disk.isFull = false;
    expect(await table.put({ pk: "a", sk: "1" }, { kind: "absent" })).toEqual({ written: true });
    expect(await queue.receive(10, 1000, 0)).toEqual([]);
    await timers.at({ ...timer(2), wakeAtMs: clock.nowMs() + 500 });
    await clock.advance(2000);
    expect((await queue.receive(10, 1000, 1000)).map(({ wake }) => wake.invocationId)).toEqual([invocation(2)]);
    await store.close();
    await open();
    expect((await table.query("a")).items.map(({ sk }) => sk)).toEqual(["0", "1"]);
  });

  test("also fails the writes whose conditions were checked against it, and no others", async () => {
    const release = gate();
    const first = table.put({ pk: "a", sk: "1", n: 1 });
    await turns();
    const dependent = table.update({ pk: "a", sk: "1" }, { add: { n: 1 } }, { kind: "present" });
    disk.isFull = true;
    release();
    await expect(first).rejects.toBeInstanceOf(StoreError);
    disk.isFull = false;
    await expect(dependent).rejects.toBeInstanceOf(StoreError);
    expect(await table.get({ pk: "a", sk: "1" })).toBeUndefined();

    const releaseAgain = gate();
    const second = table.put({ pk: "a", sk: "2" });
    await turns();
    const independent = table.put({ pk: "b", sk: "1" });
    disk.isFull = true;
    releaseAgain();
    await expect(second).rejects.toBeInstanceOf(StoreError);
    disk.isFull = false;
    expect(await independent).toEqual({ written: true });
  });

  test("of an ack makes the message visible again, so that it does not stay on disk for ever", async () => {
    await queue.send(message(1));
    const [delivery] = await queue.receive(1, 60_000, 0);
    disk.isFull = true;
    await queue.ack(delivery!.receipt);
    await expect(table.put({ pk: "a", sk: "1" })).rejects.toBeInstanceOf(StoreError);
    disk.isFull = false;
    expect(await queue.receive(1, 60_000, 1000)).toMatchObject([{ receiveCount: 2 }]);
  });

  test("of a firing timer only delays the timer", async () => {
    await timers.at(timer(1));
    disk.isFull = true;
    await clock.advance(1000);
    while (disk.batches.length < 2) await turns();
    disk.isFull = false;
    await turns();
    await clock.advance(1000);
    expect(await queue.receive(1, 60_000, 1000)).toMatchObject([{ wake: { invocationId: invocation(1) } }]);
  });
});
