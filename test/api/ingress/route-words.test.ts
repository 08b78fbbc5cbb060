/** Tests that the log shows the service or invocation of a request, and no key. */
import { expect, test } from "vitest";
import type { LogFields } from "../../../shared/engine/ports/log.ts";
import { routeWords } from "../../../shared/api/ingress/ingress-path.ts";
import { request, smallWorld, textOf } from "./small-world.ts";

test.each([
  ["/Counter/alice@example.com/add", { route: "call", service: "Counter" }],
  ["/restate/call/Counter/alice@example.com/add", { route: "call", service: "Counter" }],
  ["/restate/invocation/Greeter/greet/order-4711/attach", { route: "idempotent", service: "Greeter" }],
  ["/restate/workflow/Signup/alice@example.com/output", { route: "workflow", service: "Signup" }],
  [
    "/restate/invocation/inv_1aessnqvb7512fKNNDh2ZnX4eM8AZWZJ5Y/attach",
    expect.objectContaining({ route: "invocation" }),
  ],
  ["/restate/awakeables/sign_1abc/resolve", { route: "awakeable" }],
  ["/nothing", { route: "none" }],
])("%s", (path, words) => {
  expect(routeWords(path)).toEqual(words);
});

test("a request that fails is logged with the id of the error, and without its path", async () => {
  const world = smallWorld();
  const text = textOf(await world.app(request("POST /Greeter/break")));
  const { event, fields } = world.logged.at(-1) as { readonly event: string; readonly fields: LogFields };
  expect([event, fields]).toEqual([
    "ingress-request.failed",
    expect.objectContaining({ method: "POST", route: "call", service: "Greeter" }),
  ]);
  expect(text).toContain(String(fields["errorId"]));
  expect(JSON.stringify(fields)).not.toContain("/Greeter/break");
});
