/** The report is of the day of its run. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { startStepwell, type Stepwell } from "./stepwell.ts";

let stepwell: Stepwell;
before(async () => {
  stepwell = await startStepwell();
});
after(() => stepwell.stop());

test("reports on today without a schedule", async () => {
  const { status, body } = await stepwell.call("reports/nightly", { tenant: "acme" });
  assert.equal(status, 200);
  assert.match(String(body), /^\d{4}-\d\d-\d\d: \d+ orders of acme$/);
});

test("reports on each tenant", async () => {
  const { body } = await stepwell.call("reports/nightly", { tenant: "beta" });
  assert.match(String(body), /orders of beta$/);
});
