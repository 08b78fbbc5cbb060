/** Tests a request's body: the start message of the version, then the stored journal unchanged. */
import { expect, test } from "vitest";
import { requestBody, type StartFields } from "../../../shared/core/protocol/request-body.ts";
import { PROTOCOL_VERSIONS } from "../../../shared/core/protocol/version.ts";
import { CONTROL_VECTORS } from "./golden-control.ts";
import { hex, text, toHex } from "./hex.ts";

const start: StartFields = {
  id: new Uint8Array(24).fill(1),
  debugId: "inv_x",
  key: "k",
  state: [{ key: text("k"), value: text("v") }],
  partialState: true,
  retryCount: 3,
  durationMs: 1000,
  randomSeed: 2n ** 64n - 1n,
  scope: "sc",
  limitKey: "lk",
  idempotencyKey: "ik",
};
const input = hex("0400000000000005 72030a0131");
const run = hex("0411000000000006 5801 62027230");
const opening = (version: 5 | 6 | 7, fields = start) =>
  toHex(requestBody({ version, start: fields, frames: [input, run], knownEntries: 2 })[0]!);

test("V7 gets all fields", () => {
  const vector = CONTROL_VECTORS.find(({ name, versions }) => name === "Start" && versions.includes(7));
  expect(opening(7)).toBe(toHex(hex(vector!.hex)));
});

test("V6 gets no scope, limit key or idempotency key, and V5 no seed either", () => {
  const id = `0a18 ${"01".repeat(24)} 1205696e765f78 1802 2206 0a016b120176 2801 32016b 3803 40e807`;
  expect(opening(6)).toBe(toHex(hex(`0000000000000040 ${id} 48ffffffffffffffffff01`)));
  expect(opening(5)).toBe(toHex(hex(`0000000000000035 ${id}`)));
});

test("without state and key, the start message has no field for them", () => {
  const { scope: _scope, limitKey: _limit, idempotencyKey: _idempotency, key: _key, ...plain } = start;
  const id = `0a18 ${"01".repeat(24)} 1205696e765f78 1802 2801 3803 40e807`;
  expect(opening(5, { ...plain, state: [] })).toBe(toHex(hex(`000000000000002a ${id}`)));
});

test("the journal follows as the stored bytes, even if one piece contains several frames", () => {
  const segment = Buffer.concat([input, run]);
  for (const version of PROTOCOL_VERSIONS) {
    const [, ...rest] = requestBody({ version, start, frames: [segment], knownEntries: 2 });
    expect(rest).toHaveLength(1);
    expect(rest[0]).toBe(segment);
  }
});

test("a request without entries is refused, as in the SDK", () => {
  expect(() => requestBody({ version: 6, start, frames: [], knownEntries: 0 })).toThrow(RangeError);
});
