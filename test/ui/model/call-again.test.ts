/** Tests the line of curl that does an invocation again. */
import { expect, test } from "vitest";
import type { HandlerBody, ServiceBody } from "../../../shared/api/contract/services.ts";
import type { ValueBody } from "../../../shared/api/contract/invocations.ts";
import { callAgainLine } from "../../../ui/model/call-lines.ts";

const ingressUrl = "http://localhost:8080/";
const invocation = { target_service_name: "Cart", target_service_key: "a b", target_handler_name: "add" };
const input = (text: string): ValueBody => ({ size: text.length, text });

function service(description: string): ServiceBody {
  const handler = { name: "add", ty: "Exclusive", input_description: description } as HandlerBody;
  return { name: "Cart", ty: "VirtualObject", handlers: [handler] } as unknown as ServiceBody;
}

test("the line posts the input to the handler of the same key", () => {
  const line = callAgainLine({
    invocation,
    service: service("application/json"),
    input: input('{"it\'s": 1}'),
    ingressUrl,
  });
  expect(line).toBe(
    `curl http://localhost:8080/Cart/a%20b/add \\\n  -H 'content-type: application/json' \\\n  -d '{"it'\\''s": 1}'`,
  );
});

test("a handler with another content type gets it, also if its service is gone", () => {
  expect(callAgainLine({ invocation, service: service("text/plain"), input: input("hi"), ingressUrl })).toContain(
    "-H 'content-type: text/plain' \\\n  -d hi",
  );
  expect(callAgainLine({ invocation, service: undefined, input: input("hi"), ingressUrl })).toContain(
    "content-type: application/octet-stream",
  );
  expect(callAgainLine({ invocation, service: undefined, input: input("[1]"), ingressUrl })).toContain("-d '[1]'");
});

test("without an input the line posts nothing; a cut or binary input is read from a file", () => {
  const line = (value: ValueBody): string =>
    callAgainLine({ invocation, service: service("application/json"), input: value, ingressUrl });
  expect(line(input(""))).toBe("curl -X POST http://localhost:8080/Cart/a%20b/add");
  expect(line({ size: 1_000_000, text: '{"a":', cut: true })).toContain("--data-binary @payload.bin");
  expect(line({ size: 2, base64: "/wA=" })).toContain("@payload.bin");
});

test("the line goes to the scope of the invocation, with its limit key", () => {
  const scoped = { ...invocation, scope: "t1", limit_key: "a/b" };
  expect(callAgainLine({ invocation: scoped, service: undefined, input: input(""), ingressUrl })).toBe(
    "curl -X POST http://localhost:8080/restate/scope/t1/call/Cart/a%20b/add \\\n  -H 'x-restate-limit-key: a/b'",
  );
});
