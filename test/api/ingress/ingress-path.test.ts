/** The path grammar: prefixes, slashes, and the segments whose escapes are decoded. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { decodeSegment, parseIngressPath, type CallPath } from "../../../shared/api/ingress/ingress-path.ts";
import { calledTarget } from "../../../shared/api/ingress/called-target.ts";
import type { Registry } from "../../../shared/engine/ports/registry.ts";
import { idOf, request, smallWorld } from "./small-world.ts";

test("the three prefixes mean the same", () => {
  const tails = [
    "call/S/h",
    "send/S/k/h",
    "scope/s/call/S/h",
    "invocation/x/attach",
    "invocation/S/h/i/output",
    "invocation/S/k/h/i/output",
    "workflow/W/k/attach",
    "attach/x",
    "output/x",
    "attach",
    "output",
    "lookup",
    "awakeables/x/resolve",
    "a/x/reject",
    "health",
  ];
  for (const tail of tails) {
    const parsed = parseIngressPath(`/restate/${tail}`);
    expect(parseIngressPath(`/stepwell/${tail}`)).toEqual(parsed);
    expect(parseIngressPath(`///engine/${tail}/`)).toEqual(parsed);
  }
});

test("keys may be empty, and an invalid escape stays as it is", () => {
  expect(parseIngressPath("/Counter//add")).toMatchObject({ rest: ["", "add"] });
  expect(decodeSegment("a%2Fb", "key")).toBe("a/b");
  expect(decodeSegment("100%", "key")).toBe("100%");
  expect(decodeSegment("%zz%4", "key")).toBe("%zz%4");
  expect(decodeSegment("%EF%BB%BF", "key")).toBe("\ufeff");
});

test("any key survives escaping and decoding", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), (key) => {
      expect(decodeSegment(encodeURIComponent(key), "key")).toBe(key);
    }),
  );
});

test("service, handler and idempotency key are taken literally, and the key of an object is decoded", async () => {
  const { app, useCases } = smallWorld();
  const asked: unknown[] = [];
  const { idempotentId } = useCases;
  useCases.idempotentId = (engine, target, key) => {
    asked.push([target, key]);
    return idempotentId(engine, target, key);
  };
  const answers = [];
  for (const target of ["Counter/a%2Fb/add", "Counter/a%2Fb/%61dd", "Count%65r/a%2Fb/add"]) {
    answers.push((await app(request(`GET /restate/invocation/${target}/i%2Fk/output`))).body);
  }
  expect(asked).toEqual([[{ service: "Counter", key: "a/b", handler: "add" }, "i%2Fk"]]);
  const [, handler, service] = answers.map((body) => new TextDecoder().decode(body));
  expect(handler).toContain("'%61dd' was not found");
  expect(service).toContain("'Count%65r' not found");
});

test("the registry is asked once for a call to a service", async () => {
  const asked: string[] = [];
  const { app } = smallWorld();
  expect((await app(request("POST /Greeter/echo"))).status).toBe(200);
  const registry = {
    route: async (service: string, handler: string) => {
      asked.push(`${service}/${handler}`);
      const route = { service: { type: "service" }, settings: { public: true } };
      return { found: true, route };
    },
  } as unknown as Registry;
  for (const path of ["/S/h", "/S/h/send", "/restate/call/S/h"]) {
    const { target } = await calledTarget(registry, parseIngressPath(path) as CallPath);
    expect(target).toEqual({ service: "S", handler: "h" });
  }
  expect(asked).toEqual(["S/h", "S/h", "S/h"]);
});

test("both spellings of a path with an invocation id mean the same", () => {
  const id = idOf("x");
  expect(parseIngressPath(`/restate/attach/${id}`)).toEqual(parseIngressPath(`/engine/invocation/${id}/attach`));
});
