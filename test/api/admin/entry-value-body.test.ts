/** The values of journal entries in an answer: each is text or base64 of limited size, and the sum of all sizes is bounded. */
import { expect, test } from "vitest";
import { valueWriter } from "../../../shared/api/admin/invocations/invocation-body.ts";
import { VALUES_MAX_BYTES, VALUE_MAX_BYTES } from "../../../shared/api/contract/invocations.ts";

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

test.each([
  ["text", bytes('{"a":"ä\n"}'), { size: 11, text: '{"a":"ä\n"}' }],
  ["nothing", bytes(""), { size: 0, text: "" }],
  ["bytes that are not UTF-8", Uint8Array.of(0xff, 0), { size: 2, base64: "/wA=" }],
  ["a control character, as base64 because JSON needs six bytes", bytes("\u0001"), { size: 1, base64: "AQ==" }],
])("%s", (_, value, body) => {
  expect(valueWriter()(value)).toEqual(body);
});

test("a long text is cut between two characters", () => {
  const value = bytes(`a${"ä".repeat(VALUE_MAX_BYTES)}`);
  const body = valueWriter()(value);
  expect(body).toEqual({ size: value.length, text: `a${"ä".repeat(VALUE_MAX_BYTES / 2 - 1)}`, cut: true });
});

test.each([
  ["plain text", bytes("x".repeat(VALUE_MAX_BYTES))],
  ["text that JSON escapes", bytes('"'.repeat(VALUE_MAX_BYTES))],
  ["bytes", new Uint8Array(VALUE_MAX_BYTES).fill(0xff)],
  ["single bytes", Uint8Array.of(0xff)],
])("all values together stay within the bound, and the later ones are left out: %s", (_, value) => {
  const write = valueWriter();
  const count = Math.ceil((2 * VALUES_MAX_BYTES) / value.length);
  const bodies = Array.from({ length: count }, () => write(value));
  const sizes = bodies.map(({ text, base64 = "" }) =>
    text === undefined ? base64.length : Buffer.byteLength(JSON.stringify(text)) - 2,
  );
  const writtenBytes = sizes.reduce((sum, size) => sum + size, 0);
  expect(writtenBytes).toBeLessThanOrEqual(VALUES_MAX_BYTES);
  expect(writtenBytes).toBeGreaterThan(VALUES_MAX_BYTES / 2);
  expect(bodies.at(-1)).toEqual({ size: value.length, cut: true });
});
