/** Tests that the conversation has a result for any bytes, independent of their chunks. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Conversation } from "../../../shared/core/protocol/conversation.ts";
import type { Received } from "../../../shared/core/protocol/received.ts";
import type { ProtocolVersion } from "../../../shared/core/protocol/version.ts";
import { cutAt, cuts } from "./chunks.ts";
import { hex, toHex } from "./hex.ts";
import * as frames from "./sample-frames.ts";
import { setting } from "./sample-frames.ts";

const framesOf = (received: readonly Received[]): string[] => received.map(({ frame }) => toHex(frame));

describe("for any bytes", () => {
  const { setting: _, ...digits } = frames;
  const pieces = Object.values(digits);
  const orderly = fc.array(fc.constantFrom(...pieces), { maxLength: 10 }).map((some) => hex(some.join("")));
  const damaged = fc
    .tuple(orderly, fc.double({ min: 0, max: 0.99, noNaN: true }), fc.nat(255))
    .map(([bytes, at, byte]) => (bytes.length === 0 ? bytes : bytes.with(Math.floor(at * bytes.length), byte)));
  const garbage = fc.uint8Array({ maxLength: 200 });
  const version = fc.constantFrom<ProtocolVersion>(5, 6, 7);
  const how = fc.constantFrom("eof" as const, "broken" as const);

  test("the chunks do not affect the result", () => {
    fc.assert(
      fc.property(fc.oneof(orderly, damaged, garbage), cuts, version, how, (bytes, places, v, end) => {
        const whole = new Conversation(setting(v));
        whole.receive(bytes);
        const pieced = new Conversation(setting(v));
        for (const chunk of cutAt(bytes, places)) pieced.receive(chunk);
        expect(pieced.finish(end)).toEqual(whole.finish(end));
      }),
      { numRuns: 1000 },
    );
  });

  test("a response that stops earlier gives the first part of the entries", () => {
    fc.assert(
      fc.property(orderly, fc.double({ min: 0, max: 1, noNaN: true }), version, (bytes, place, v) => {
        const whole = new Conversation(setting(v));
        whole.receive(bytes);
        const part = new Conversation(setting(v));
        part.receive(bytes.subarray(0, Math.floor(place * bytes.length)));
        const all = framesOf(whole.finish("eof").received);
        expect(framesOf(part.received)).toEqual(all.slice(0, part.received.length));
      }),
    );
  });
});
