/** The scope and the limit key of calls, sends and questions. */
import { expect, test } from "vitest";
import { request, smallWorld, textOf } from "./small-world.ts";

test.each([
  ["POST /restate/scope/a.b/call/Greeter/echo", { service: "Greeter", handler: "echo", scope: "a.b" }],
  ["POST /restate/scope/t1/call/Counter/k/add", { service: "Counter", handler: "add", key: "k", scope: "t1" }],
  ["GET /restate/scope/t1/call/Counter/k/get", { service: "Counter", handler: "get", key: "k", scope: "t1" }],
  ["POST /engine/scope/t1/send/Signup/w/run", { service: "Signup", handler: "run", key: "w", scope: "t1" }],
  ["POST /restate/call/Greeter/echo", { service: "Greeter", handler: "echo" }],
])("%s is submitted with the target %o", async (line, target) => {
  const { app, submissions } = smallWorld();
  expect((await app(request(line))).status).toBeLessThan(300);
  expect(submissions.map((submission) => submission.target)).toEqual([target]);
});

const CALL = "POST /restate/scope/s/call/Greeter/echo";

test.each([
  ["of the header", CALL, { "x-restate-limit-key": "a/b" }, "a/b"],
  ["of the query", `${CALL}?limit-key=a%2Fb`, {}, "a/b"],
  ["of the query, whatever the case of its name", `${CALL}?Limit-Key=a`, {}, "a"],
  ["of the header before that of the query", `${CALL}?limit-key=q`, { "x-restate-limit-key": "h" }, "h"],
  ["without the slash at its end", CALL, { "x-restate-limit-key": "a/b/" }, "a/b"],
  [
    "of an empty header, which hides the query, as none",
    `${CALL}?limit-key=q`,
    { "x-restate-limit-key": "" },
    undefined,
  ],
  ["of an empty query as none", `${CALL}?limit-key=`, {}, undefined],
  ["of an empty header without a scope as none", "POST /Greeter/echo", { "x-restate-limit-key": "" }, undefined],
] as const)("the limit key %s is submitted", async (_what, line, headers, limitKey) => {
  const { app, submissions } = smallWorld();
  expect((await app(request(line, headers))).status).toBe(200);
  expect(submissions.map((submission) => submission.limitKey)).toEqual([limitKey]);
});

test.each(["lookup", "attach", "output"])("the question %s finds an invocation only in its scope", async (question) => {
  const { app, submissions } = smallWorld();
  const called = await app(request(CALL, { "idempotency-key": "k", "content-type": "text/plain" }, "hi"));
  expect(submissions[0]!.target.scope).toBe("s");
  const idIn = async (scope?: string) => {
    const named = { service: "Greeter", handler: "echo", idempotencyKey: "k", scope };
    const body = JSON.stringify({ target: "idempotentInvocation", ...named });
    const { status, headers, body: answered } = await app(request(`POST /restate/${question}`, {}, body));
    if (question === "lookup") return JSON.parse(new TextDecoder().decode(answered)).invocationId;
    return status === 200 ? headers["x-restate-id"] : status;
  };
  const id = called.headers["x-restate-id"];
  expect(await idIn("s")).toBe(id);
  expect([await idIn(), await idIn("t")]).not.toContain(id);
  expect(textOf(called)).toBe("hi");
});
