/** Tests the hash that divides invocations among the shards of an index. */
import { describe, expect, test } from "vitest";
import { textHash } from "../../../shared/core/model/text-hash.ts";
import { SecretIdSource } from "../../../shared/adapters/system/id-source.ts";
import { freshId } from "../../../shared/engine/accept/invocation-ids.ts";
import { shardOf } from "../../../shared/engine/store/item-keys.ts";

test("the hash matches the published examples of FNV-1a", () => {
  expect(textHash("")).toBe(0x811c9dc5);
  expect(textHash("a")).toBe(0xe40c292c);
  expect(textHash("foobar")).toBe(0xbf9cf968);
});

describe("invocations over the shards of an index", () => {
  const ids = new SecretIdSource(new Uint8Array(32).fill(7));
  const invocations = Array.from({ length: 40_000 }, () => freshId({ ids }));

  test.each([2, 3, 8, 16])("each of %i shards has at most a tenth more or less than an equal share", (indexShards) => {
    const counts = Array.from({ length: indexShards }, () => 0);
    for (const id of invocations) counts[shardOf(id, { indexShards })]!++;
    expect(Math.max(...counts)).toBeLessThan((1.1 * invocations.length) / indexShards);
    expect(Math.min(...counts)).toBeGreaterThan((0.9 * invocations.length) / indexShards);
  });
});
