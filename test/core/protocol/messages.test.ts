/** Tests every message of every version against bytes written by hand, and the round trip of any content. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { decode } from "../../../shared/core/model/proto3-decode.ts";
import { encode } from "../../../shared/core/model/proto3-encode.ts";
import { Proto3Error } from "../../../shared/core/model/proto3.ts";
import { encodeFrame, framesOf } from "../../../shared/core/protocol/frame.ts";
import { MESSAGES, messageOf } from "../../../shared/core/protocol/messages.ts";
import { notificationHead } from "../../../shared/core/protocol/notifications.ts";
import { anyMessage } from "./any-message.ts";
import { COMMAND_VECTORS } from "./golden-commands.ts";
import { CONTROL_VECTORS } from "./golden-control.ts";
import { NOTIFICATION_VECTORS } from "./golden-notifications.ts";
import { hex, toHex } from "./hex.ts";

const VECTORS = [...CONTROL_VECTORS, ...COMMAND_VECTORS, ...NOTIFICATION_VECTORS];
const PER_VERSION = VECTORS.flatMap((vector) => vector.versions.map((version) => ({ ...vector, version })));

test("every message of every version has a vector", () => {
  const covered = new Set(PER_VERSION.map(({ name, version }) => `${name} V${version}`));
  const wanted = MESSAGES.flatMap(({ name, versions }) => versions.map((version) => `${name} V${version}`));
  expect(wanted.filter((row) => !covered.has(row))).toEqual([]);
  expect([...covered].filter((row) => !wanted.includes(row))).toEqual([]);
  expect(wanted.length).toBe(8 * 3 - 4 + 20 * 3 + 12 * 3);
});

describe.each(PER_VERSION)("$name on V$version, $hex", ({ name, version, hex: digits, value }) => {
  const [frame] = framesOf(hex(digits));
  const row = messageOf(frame!.type, version);

  test("is decoded to the value", () => {
    expect(row?.name).toBe(name);
    expect(decode(row!.type, frame!.payload)).toEqual(value);
  });

  test("is encoded to the bytes", () => {
    const raw = encodeFrame(frame!.type, encode(row!.type, value as object), frame!.flags);
    expect(toHex(raw)).toBe(toHex(hex(digits)));
  });
});

describe.each(NOTIFICATION_VECTORS)("the builder of $name, $hex", ({ versions, hex: digits, built, value }) => {
  test("gives the bytes", () => {
    for (const version of versions) expect(toHex(built(version))).toBe(toHex(hex(digits)));
  });

  test("gives a notification whose head is read back", () => {
    const { completionId, signalIndex, signalName, failure } = value as Record<string, unknown>;
    const id = JSON.parse(JSON.stringify({ completionId, index: signalIndex, name: signalName }));
    expect(notificationHead(hex(digits))).toEqual({ id, outcome: failure === undefined ? "success" : "failure" });
  });
});

test("a notification without an id is refused", () => {
  expect(() => notificationHead(hex("800c000000000002 2200"))).toThrow(Proto3Error);
});

describe.each(MESSAGES)("$name (V$versions)", ({ type }) => {
  test("decodes its own bytes", () => {
    fc.assert(
      fc.property(anyMessage(type), (value) => {
        expect(decode(type, encode(type, value as object))).toEqual(value);
      }),
      { numRuns: 50 },
    );
  });

  test("decodes garbage and truncated bytes to a value or a Proto3Error", () => {
    const damaged = anyMessage(type).chain((value) => {
      const bytes = encode(type, value as object);
      const cut = fc.nat(bytes.length).map((length) => bytes.subarray(0, length));
      const flip = fc
        .tuple(fc.nat(Math.max(0, bytes.length - 1)), fc.nat(255))
        .map(([at, byte]) => bytes.with(at, byte));
      return bytes.length === 0 ? cut : fc.oneof(cut, flip);
    });
    fc.assert(
      fc.property(fc.oneof(fc.uint8Array({ maxLength: 64 }), damaged), (bytes) => {
        try {
          decode(type, bytes);
        } catch (error) {
          expect(error).toBeInstanceOf(Proto3Error);
        }
      }),
      { numRuns: 100 },
    );
  });
});
