/** How often the local process removes what has expired is a setting. */
import { setTimeout as pause } from "node:timers/promises";
import { expect, test } from "vitest";
import { openStage } from "../../errors/stage.ts";

const EXPIRED = { pk: "a", sk: "b", expiresAtS: 1 };

test.each([
  ["10ms", true],
  ["1h", false],
])("with a cleanup interval of %s an expired item is soon gone: %s", async (interval, isGone) => {
  const stage = await openStage({ "worker.cleanup-interval": interval });
  const { table } = stage.local.engine;
  await table.put(EXPIRED);
  for (let looks = 0; looks < 50 && (await table.get(EXPIRED)) !== undefined; looks++) await pause(10);
  expect((await table.get(EXPIRED)) === undefined).toBe(isGone);
});
