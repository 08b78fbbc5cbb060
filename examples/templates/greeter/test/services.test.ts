/** The greeter greets, and reminds after its sleep. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { startStepwell, type Stepwell } from "./stepwell.ts";

let stepwell: Stepwell;
before(async () => {
  stepwell = await startStepwell();
});
after(() => stepwell.stop());

test("greets", async () => {
  const { body } = await stepwell.call("greeter/greet", "Ada");
  assert.match(String(body), /, Ada!$/);
});

test("reminds after the sleep", async () => {
  const { body } = await stepwell.call("greeter/remind", { name: "Ada", about: "the tea", seconds: 1 });
  assert.equal(body, "Ada is reminded of the tea");
});
