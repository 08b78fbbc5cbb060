/** Options that a request sets by headers. */
import { expect, test } from "vitest";
import { request, smallWorld, textOf } from "./small-world.ts";

test("a priority is submitted as an option, and its header does not reach the handler", async () => {
  const { app, submissions } = smallWorld({ journaledHeaders: ["x-*"] });
  const headers = { "x-a": "1", "x-stepwell-priority": "8" };
  expect((await app(request("POST /Greeter/echo", headers))).status).toBe(200);
  expect((await app(request("POST /Greeter/echo/send"))).status).toBe(202);
  expect(submissions.map(({ options }) => options)).toEqual([{ priority: 8 }, {}]);
  expect(submissions[0]!.headers.slice(1)).toEqual([{ key: "x-a", value: "1" }]);
});

test.each([
  ["twelve", "'twelve' is no whole number from 0 to 9, such as '7'"],
  ["sieben\u00eb", "its value has characters outside printable ASCII"],
])("the priority %j is refused with 400", async (value, why) => {
  const { app, submissions } = smallWorld();
  const response = await app(request("POST /Greeter/echo", { "x-stepwell-priority": value }));
  expect([response.status, JSON.parse(textOf(response)).message]).toEqual([
    400,
    `bad header 'x-stepwell-priority': ${why}`,
  ]);
  expect(submissions).toEqual([]);
});
