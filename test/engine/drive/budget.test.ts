/**
 * Plays each shape of the write budget (docs/design.md#write-budget) on the embedded store, and counts what its requests would
 * cost in DynamoDB.
 */
import { join } from "node:path";
import { afterAll, afterEach, beforeEach, describe, test } from "vitest";
import { EmbeddedTable } from "../../../shared/adapters/embedded/embedded-table.ts";
import { openStore, type Store } from "../../../shared/adapters/embedded/store.ts";
import { removeDirectory, temporaryDirectory } from "../../contracts/temporary-directory.ts";
import { accountText, expectCost } from "../../harness/engine/budget-account.ts";
import { playShape, type Played } from "../../harness/engine/budget-play.ts";
import type { Shape } from "../../harness/engine/budget-shape.ts";
import { SHAPES } from "../../harness/engine/budget-shapes.ts";

describe("the write budget on the embedded store", () => {
  const rows: { shape: Shape; played: Played }[] = [];
  let dir: string;
  let journal: Store;
  let meta: Store;
  beforeEach(async () => {
    dir = await temporaryDirectory();
    journal = await openStore(join(dir, "journal"), { kind: "journal" });
    meta = await openStore(join(dir, "meta"), { kind: "meta" });
  });
  afterEach(async () => {
    await journal.close();
    await meta.close();
    await removeDirectory(dir);
  });
  afterAll(() => console.log(accountText(rows)));

  test.each(SHAPES.map((shape) => [shape.name, shape] as const))("%s", async (_name, shape) => {
    const tables = { table: new EmbeddedTable(journal), meta: new EmbeddedTable(meta) };
    const played = await playShape(shape.play, tables);
    rows.push({ shape, played });
    expectCost(shape, played);
  });
});
