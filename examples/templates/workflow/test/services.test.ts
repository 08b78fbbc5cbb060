/** A sign-up ends once its secret is confirmed. */
import assert from "node:assert/strict";
import { after, before, mock, test } from "node:test";
import { startStepwell, type Stepwell } from "./stepwell.ts";

let stepwell: Stepwell;
before(async () => {
  stepwell = await startStepwell();
});
after(() => stepwell.stop());

test("waits until the secret is confirmed", async () => {
  const letters: string[] = [];
  const sent = new Promise<void>((resolve) => {
    mock.method(console, "log", (line: string) => {
      letters.push(line);
      resolve();
    });
  });
  const running = stepwell.call("signup/ada/run", { name: "Ada", email: "ada@example.com" });
  await sent;
  const letter = /confirm with (.*)/.exec(letters.join("\n"));
  await stepwell.call("signup/ada/confirm", JSON.parse(letter![1]!));
  assert.deepEqual(await running, { status: 200, body: "Welcome, Ada!" });
});

test("refuses another secret", async () => {
  const running = stepwell.call("signup/eve/run", { name: "Eve", email: "eve@example.com" });
  await stepwell.call("signup/eve/confirm", { secret: "guessed" });
  assert.equal((await running).status, 403);
});
