/** Tests that the map works as a map, and releases deleted values. */
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, test } from "vitest";
import { TransientMap } from "../../../shared/core/model/transient-map.ts";

test("values are found until they are deleted", () => {
  const map = new TransientMap<string, { n: number }>();
  map.set("a", { n: 1 });
  map.set("b", { n: 2 });
  map.set("a", { n: 3 });
  expect([map.size, map.has("a"), map.get("a"), [...map.values()]]).toEqual([2, true, { n: 3 }, [{ n: 3 }, { n: 2 }]]);
  map.delete("a");
  map.delete("nobody");
  expect([map.size, map.has("a"), map.get("a"), [...map.values()]]).toEqual([1, false, undefined, [{ n: 2 }]]);
  map.clear();
  expect([map.size, [...map.values()]]).toEqual([0, []]);
});

test("iteration skips values that are deleted meanwhile, and includes added ones", () => {
  const map = new TransientMap<number, { n: number }>();
  for (const n of [1, 2, 3]) map.set(n, { n });
  const seen: number[] = [];
  for (const { n } of map.values()) {
    seen.push(n);
    map.delete(2);
    if (n === 1) map.set(4, { n: 4 });
  }
  expect(seen).toEqual([1, 3, 4]);
});

const ENTRIES = 40_000;
/** How many entries the map has at the same time. */
const COMPANY = 32;
const VALUE_BYTES = 800;

test("minor collections release deleted values", () => {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as (options?: { readonly type: "minor" }) => void;
  const map = new TransientMap<number, { readonly words: readonly number[] }>();
  const pass = (from: number): void => {
    for (let key = from; key < from + ENTRIES; key++) {
      map.set(key, { words: Array.from({ length: VALUE_BYTES / 8 }, () => 0.5) });
      map.delete(key - COMPANY);
    }
  };
  pass(0);
  // After this collection the map's present content is in the old generation.
  collect();
  const before = process.memoryUsage().heapUsed;
  pass(ENTRIES);
  for (let time = 0; time < 2; time++) collect({ type: "minor" });
  const keptBytes = process.memoryUsage().heapUsed - before;
  expect(map.size).toBe(COMPANY);
  expect(keptBytes).toBeLessThan((ENTRIES * VALUE_BYTES) / 4);
});
