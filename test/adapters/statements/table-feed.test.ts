/** Tests the batches in which an evaluator gets the rows of a table. */
import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import type { ToEvaluator } from "../../../shared/adapters/statements/messages.ts";
import { TableFeed } from "../../../shared/adapters/statements/table-feed.ts";
import { tableShape } from "../../../shared/core/query/table-shape.ts";
import { EVERYTHING } from "../../../shared/core/query/narrowing.ts";
import type { SqlRow } from "../../../shared/engine/ports/sql.ts";

const FAST = 2_000;

test("batches grow while rows come fast, and slow rows leave before their batch is full", async () => {
  const table = {
    shape: tableShape("numbers", "n i"),
    ordered: false,
    async *scan(): AsyncGenerator<SqlRow> {
      for (let n = 0; n < FAST + 500; n++) {
        if (n >= FAST) await sleep(10);
        yield { cell: () => n };
      }
    },
  };
  let take!: (message: ToEvaluator) => void;
  const feed = new TableFeed([table], async (message) => take(message));
  feed.receive({ kind: "scan", scan: 1, table: "numbers", narrowing: EVERYTHING, columns: ["n"] });
  const next = async (): Promise<number> => {
    const message = new Promise<ToEvaluator>((resolve) => (take = resolve));
    feed.receive({ kind: "next", scan: 1 });
    const batch = await message;
    return batch.kind === "rows" ? batch.rows.length : 0;
  };
  const sizes: number[] = [];
  for (let given = 0; given < FAST; given += sizes.at(-1)!) sizes.push(await next());
  expect(sizes[0]).toBe(8);
  expect(await next()).toBeLessThan(100);
  feed.close();
});
