/** A tenant sends as many mails at a time as its rule says, and each of them once. */
import assert from "node:assert/strict";
import { after, before, mock, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { startStepwell, type Stepwell } from "./stepwell.ts";

let stepwell: Stepwell;
before(async () => {
  stepwell = await startStepwell();
  await stepwell.run("rules apply -f rules.json");
});
after(() => stepwell.stop());

const printed = mock.method(console, "log", () => undefined);
const lines = (): readonly string[] => printed.mock.calls.map((call) => String(call.arguments[0]));
const sent = (): number => lines().filter((line) => line.startsWith("sent to")).length;

/** The most mails that were on their way at a time. */
function most(): number {
  let now = 0;
  return Math.max(...lines().map((line) => (line.startsWith("sending") ? ++now : now--)));
}

test("sends for a tenant in its places", async () => {
  const recipients = ["a", "b", "c", "d", "e", "f"];
  const started = await stepwell.call("campaigns/start", { tenant: "acme", plan: "paid", recipients });
  assert.deepEqual(started, { status: 200, body: 6 });
  for (let waited = 0; sent() < 6 && waited < 600; waited++) await sleep(100);
  assert.equal(sent(), 6);
  assert.ok(most() <= 2, `${most()} at a time`);
});

test("another tenant has places of its own", async () => {
  const { body } = await stepwell.call("restate/scope/other/call/mails/send", "ada@example.com");
  assert.equal(body, "sent to ada@example.com");
});
