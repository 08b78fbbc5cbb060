/** The setting for how often the local process removes expired items. */
import { setTimeout as pause } from "node:timers/promises";
import { expect, test } from "vitest";
import type { Table } from "../../../shared/engine/ports/table.ts";
import { openStage } from "../../errors/stage.ts";

const EXPIRED = { pk: "a", sk: "b", expiresAtS: 1 };

/** The table of a process with this interval, and an expired item in it. */
async function tableCleanedEvery(interval: string): Promise<Table> {
  const { table } = (await openStage({ "worker.cleanup-interval": interval })).local.engine;
  await table.put(EXPIRED);
  return table;
}

test("with a short cleanup interval an expired item is soon gone, and with a long one it stays", async () => {
  const seldom = await tableCleanedEvery("1h");
  const often = await tableCleanedEvery("10ms");
  while ((await often.get(EXPIRED)) !== undefined) await pause(10);
  expect(await seldom.get(EXPIRED)).toEqual(EXPIRED);
});
