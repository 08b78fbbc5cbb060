/** Wakes as text, and texts that are not wakes. */
import fc from "fast-check";
import { expect, test } from "vitest";
import type { Wake } from "../../../shared/engine/ports/queue.ts";
import { bodyOfWake, wakeOfBody } from "../../../shared/engine/ports/wake-body.ts";
import { invocation } from "../../contracts/queue-contract.ts";

const moment = fc.integer({ min: 0, max: 8_640_000_000_000_000 });

test("a wake is read as it was written", () => {
  fc.assert(
    fc.property(
      fc.nat(),
      moment,
      fc.integer({ min: 0, max: 900_000 }),
      fc.option(moment),
      fc.option(fc.string({ unit: "binary", maxLength: 200 })),
      (n, sentAtMs, delayMs, wakeAtMs, service) => {
        const wake: Wake = {
          invocationId: invocation(n),
          sentAtMs,
          delayMs,
          ...(wakeAtMs !== null && { wakeAtMs }),
          ...(service !== null && { service }),
        };
        const body = bodyOfWake(wake);
        expect(body).toMatch(/^[ -~]*$/);
        expect(wakeOfBody(body)).toEqual({ wake });
      },
    ),
  );
});

test("an unknown field is left out, so that later versions may add fields", () => {
  const body = JSON.stringify({ id: invocation(1), sentAtMs: 1, delayMs: 2, colour: "red" });
  expect(wakeOfBody(body)).toEqual({ wake: { invocationId: invocation(1), sentAtMs: 1, delayMs: 2 } });
});

test("a service name that would make the message large is left out, and one that is not text is not read", () => {
  const wake: Wake = { invocationId: invocation(1), sentAtMs: 1, delayMs: 2 };
  expect(bodyOfWake({ ...wake, service: "s".repeat(100_000) })).toBe(bodyOfWake(wake));
  expect(wakeOfBody(JSON.stringify({ id: invocation(1), sentAtMs: 1, delayMs: 2, service: 7 }))).toEqual({ wake });
});

const GOOD = { id: invocation(1), sentAtMs: 1, delayMs: 2 };

test.each([
  ["", "it is no JSON"],
  ["wake up", "it is no JSON"],
  ["null", "it is no JSON object"],
  ["[]", "it is no JSON object"],
  ['"text"', "it is no JSON object"],
  ["{}", "it has no id"],
  [JSON.stringify({ ...GOOD, id: 7 }), "it has no id"],
  [JSON.stringify({ ...GOOD, id: "inv_1abc" }), "its id is not valid"],
  [JSON.stringify({ ...GOOD, sentAtMs: "1" }), "sentAtMs"],
  [JSON.stringify({ ...GOOD, sentAtMs: -1 }), "sentAtMs"],
  [JSON.stringify({ ...GOOD, delayMs: 900_001 }), "delayMs"],
  [JSON.stringify({ ...GOOD, delayMs: undefined }), "delayMs"],
  [JSON.stringify({ ...GOOD, wakeAtMs: null }), "wakeAtMs"],
  ['{"id":"__proto__","sentAtMs":1e999,"delayMs":0}', "sentAtMs"],
])("%s is no wake: %s", (body, why) => {
  expect(wakeOfBody(body)).toEqual({ wrong: expect.stringContaining(why) });
});

test("the parser never throws, whatever the text", () => {
  fc.assert(fc.property(fc.oneof(fc.string(), fc.json()), (body) => wakeOfBody(body) !== undefined));
});
