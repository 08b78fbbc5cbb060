/** Tests the reads of statements: if a cell is not in an index, it is read only for a statement that names the cell. */
import { beforeEach, expect, test } from "vitest";
import { callOn, sendOn, type Actor } from "../../harness/engine/engine-fixture.ts";
import { PROJECTED } from "../../harness/engine/counted-table.ts";
import { keyed, objectOf, sendKeyed } from "../../harness/engine/object-stage.ts";
import { ReadMeter } from "../../harness/engine/read-meter.ts";
import { stages } from "../../harness/engine/stages.ts";
import { rowsOf } from "../../harness/engine/statements.ts";

const open = stages();
let actor: Actor;
let napping: string;

/** Ten suspended invocations, ten completed ones, and a key with a holder and three invocations in its queue. */
beforeEach(async () => {
  const stage = await open(
    {
      naps: async (ctx) => {
        await ctx.get(ctx.sleep(4_000_000_000_000));
        return "slept";
      },
      greets: () => "hello",
      holds: () => new Promise(() => {}),
    },
    { services: [objectOf(["holds"])] },
  );
  actor = stage.actor();
  actor.startWorker();
  for (let i = 0; i < 10; i++) {
    napping = (await stage.pulse.within(1_000, sendOn(actor, "naps"))).invocationId;
    await stage.pulse.within(1_000, callOn(actor, "greets"));
  }
  for (let i = 0; i < 4; i++) {
    await stage.pulse.within(1_000, sendKeyed(actor, keyed("O", "k", "holds")));
    await stage.pulse.settle();
  }
});

/** @returns the number of rows, and the numbers of reads: of indexes (`index`), and of partitions (`queries` and `gets`) */
async function readsOf(statement: string): Promise<{ rows: number; index: number; queries: number; gets: number }> {
  const table = new ReadMeter(actor.engine.table, PROJECTED);
  const rows = await rowsOf({ engine: { ...actor.engine, table } }, statement);
  const { indexQueries, queries, gets } = table;
  return { rows: rows.length, index: indexQueries, queries: queries - indexQueries, gets };
}

test("a statement with an id reads no index, whatever it shows", async () => {
  expect(await readsOf(`select * from sys_invocation where id = '${napping}'`)).toMatchObject({ rows: 1, index: 0 });
  expect(await readsOf(`select * from sys_journal where id = '${napping}'`)).toMatchObject({ index: 0, queries: 1 });
});

test.each([
  ["id, status, target, created_at", 10, 0],
  ["id, retry_count, next_retry_at, last_failure, outcome, completed_at, paused_by", 10, 0],
  ["id, last_start_at", 10, 10],
  ["id, waits_for, modified_at", 10, 10],
])(
  "a statement for %s loads suspended invocations only for cells that are not in the index",
  async (columns, rows, loads) => {
    const reads = await readsOf(`select ${columns} from sys_invocation where status = 'suspended'`);
    expect(reads, "the progress of the sweeper is one query").toEqual({ rows, index: 1, queries: 1 + loads, gets: 0 });
  },
);

test("a filter by retries loads no suspended invocation, and a filter by outcome loads no open invocation", async () => {
  expect(await readsOf("select id from sys_invocation where status = 'suspended' and retry_count > 1")).toMatchObject({
    rows: 0,
    queries: 1,
  });
  const ended = await readsOf("select id from sys_invocation where outcome = 'succeeded'");
  const all = await readsOf("select id from sys_invocation where completion_result = 'success'");
  expect(ended.rows).toBe(10);
  expect(ended.queries).toBeLessThanOrEqual(all.queries);
});

test("the tickets of a queue are read only for a statement that names them", async () => {
  const plain = await readsOf("select id, service_key from sys_inbox");
  const numbered = await readsOf("select id, sequence_number from sys_inbox");
  expect([plain.rows, numbered.rows]).toEqual([3, 3]);
  expect(numbered.gets - plain.gets).toBe(3);
});
