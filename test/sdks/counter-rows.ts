/** The tests of a virtual object on each SDK: state under a key, one exclusive handler at a time, shared handlers beside it. */
import { randomUUID } from "node:crypto";
import { describe, expect, test } from "vitest";
import type { SdkStage } from "./sdk-stage.ts";

const HOUR_MS = 3_600_000;
const upTo = (count: number): number[] => Array.from({ length: count }, (_, index) => index + 1);
const inOrder = (values: readonly unknown[]): number[] => (values as number[]).toSorted((a, b) => a - b);

export function counterRows({ client }: SdkStage): void {
  const fresh = (): string => `/Counter/${randomUUID()}`;
  describe("a virtual object", () => {
    test("state is kept from call to call", async () => {
      const counter = fresh();
      expect(await client().call(`${counter}/get`)).toBe(0);
      expect(await client().call(`${counter}/add`, 5)).toBe(5);
      expect(await client().call(`${counter}/add`, 3)).toBe(8);
      expect(await client().call(`${counter}/get`)).toBe(8);
    });
    test("each key has its own state, whatever its characters", async () => {
      const keys = ["a", "a/b", "ä b", "%"].map((key) => `${key}${randomUUID()}`);
      for (const [index, key] of keys.entries()) {
        expect(await client().call(`/Counter/${encodeURIComponent(key)}/add`, index + 1)).toBe(index + 1);
      }
      for (const [index, key] of keys.entries()) {
        expect(await client().call(`/Counter/${encodeURIComponent(key)}/get`)).toBe(index + 1);
      }
    });
    test("one name of the state is cleared, the other names stay", async () => {
      const counter = fresh();
      await client().call(`${counter}/add`, 5);
      await client().call(`${counter}/mark`, "b");
      await client().call(`${counter}/mark`, "a");
      expect(await client().call(`${counter}/names`)).toEqual(["a", "b", "n"]);
      await client().call(`${counter}/clear`);
      expect(await client().call(`${counter}/get`)).toBe(0);
      expect(await client().call(`${counter}/names`)).toEqual(["a", "b"]);
      await client().call(`${counter}/wipe`);
      expect(await client().call(`${counter}/names`)).toEqual([]);
    });
    test("exclusive handlers that arrive together run one after the other", async () => {
      const counter = fresh();
      const sums = await Promise.all(upTo(10).map(() => client().call(`${counter}/add`, 1)));
      expect(inOrder(sums)).toEqual(upTo(10));
      expect(await client().call(`${counter}/get`)).toBe(10);
    });
    test("a handler keeps its turn while it sleeps", async () => {
      const counter = fresh();
      const counts = await Promise.all(upTo(4).map(() => client().call(`${counter}/linger`, 50)));
      expect(inOrder(counts)).toEqual(upTo(4));
    });
    test("sends to one key run in the order in which they were accepted", async () => {
      const counter = fresh();
      const ids: string[] = [];
      for (const by of [1, 10, 100]) ids.push(await client().send(`${counter}/add`, by));
      const sums = await Promise.all(ids.map(async (id) => (await client().attach(id)).body));
      expect(sums).toEqual([1, 11, 111]);
    });
    test("a shared handler answers while an exclusive one holds the key, which is free after a cancel", async () => {
      const counter = fresh();
      const holder = await client().send(`${counter}/linger`, HOUR_MS);
      expect(await client().call(`${counter}/get`)).toBe(0);
      const waiting = client().call(`${counter}/add`, 1);
      expect((await client().cancel(holder)).status).toBe(202);
      expect((await client().attach(holder)).status).toBe(409);
      expect(await waiting).toBe(1);
    });
    test("a service calls an object", async () => {
      const key = randomUUID();
      expect(await client().call("/Greeter/tally", key)).toBe(1);
      expect(await client().call("/Greeter/tally", key)).toBe(2);
      expect(await client().call(`/Counter/${key}/get`)).toBe(2);
    });
  });
}
