import { expect, test } from "vitest";
import { targetText } from "../../../shared/core/model/target.ts";

test.each([
  [{ service: "Greeter", handler: "greet" }, "Greeter/greet"],
  [{ service: "Counter", handler: "add", key: "a/b c" }, "Counter/a/b c/add"],
  [{ service: "Counter", handler: "add", key: "" }, "Counter//add"],
])("a target is written with slashes between service, key and handler: %o", (target, text) => {
  expect(targetText(target)).toBe(text);
});
