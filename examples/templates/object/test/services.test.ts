/** The counter counts for each key, and additions to one key never overlap. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { startStepwell, type Stepwell } from "./stepwell.ts";

let stepwell: Stepwell;
before(async () => {
  stepwell = await startStepwell();
});
after(() => stepwell.stop());

test("counts for each key", async () => {
  assert.deepEqual(await stepwell.call("counter/ada/add", 2), { status: 200, body: 2 });
  assert.deepEqual(await stepwell.call("counter/bob/get"), { status: 200, body: 0 });
});

test("additions to one key never overlap", async () => {
  const additions = Array.from({ length: 20 }, () => stepwell.call("counter/eve/add", 1));
  const counts = (await Promise.all(additions)).map(({ body }) => Number(body));
  assert.deepEqual(
    counts.toSorted((one, other) => one - other),
    Array.from({ length: 20 }, (_, index) => index + 1),
  );
});
