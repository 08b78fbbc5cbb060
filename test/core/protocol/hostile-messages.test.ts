/** Tests messages of the largest size with as many elements as fit: each ends its attempt, with little work and in little memory. */
import { expect, test } from "vitest";
import { Conversation, REPLY_MAX_ELEMENTS } from "../../../shared/core/protocol/conversation.ts";
import { encodeFrame } from "../../../shared/core/protocol/frame.ts";
import type { ProtocolVersion } from "../../../shared/core/protocol/version.ts";
import { setting } from "./sample-frames.ts";
import { computedMs } from "../../processor-time.ts";

const LARGEST_BYTES = 31 * 1024 * 1024;
const COMPUTED_MAX_MS = 10_000;
const HEAP_MAX_BYTES = 250 * 1024 * 1024;

function varint(value: number): number[] {
  return value < 128 ? [value] : [(value % 128) | 128, ...varint(Math.floor(value / 128))];
}

/** A field of bytes: its tag, its length and its content. */
function field(tag: number, content: Uint8Array): Uint8Array {
  return Buffer.concat([Uint8Array.of(tag, ...varint(content.length)), content]);
}

/** As many repetitions as fit into the largest message. */
function repeatedly(...unit: number[]): Uint8Array {
  return Buffer.alloc(LARGEST_BYTES - (LARGEST_BYTES % unit.length), Uint8Array.from(unit));
}

const EMPTY_FUTURES = Buffer.concat([Uint8Array.of(0x0a, 1, 1), repeatedly(0x22, 0)]);

const ATTACKS: readonly [what: string, code: number, payload: () => Uint8Array, version: ProtocolVersion][] = [
  ["a suspension on empty futures", 0x0001, () => field(0x22, EMPTY_FUTURES), 7],
  ["a suspension on a list of completions", 0x0001, () => field(0x0a, repeatedly(1)), 6],
  ["a suspension on single completions", 0x0001, () => repeatedly(0x08, 1), 6],
  ["a suspension on signals without a name", 0x0001, () => repeatedly(0x1a, 0), 6],
  ["a call with empty headers", 0x040d, () => repeatedly(0x22, 0), 6],
  ["a send with empty headers", 0x040e, () => repeatedly(0x2a, 0), 6],
  ["a list of empty state keys", 0x0408, () => field(0x72, repeatedly(0x0a, 0)), 6],
  ["a failure with empty metadata", 0x0401, () => field(0x7a, repeatedly(0x1a, 0)), 6],
];

test.each(ATTACKS)("%s is a violation, found with little work", (_what, code, payload, version) => {
  const frame = encodeFrame(code, payload());
  const conversation = new Conversation({ ...setting(version), messageSizeMaxBytes: 32 * 1024 * 1024 });
  const [heapBytes, startedMs] = [process.memoryUsage().heapUsed, computedMs()];
  conversation.receive(frame);
  const { received, ending } = conversation.finish("eof");
  expect(computedMs() - startedMs).toBeLessThan(COMPUTED_MAX_MS);
  expect(process.memoryUsage().heapUsed - heapBytes).toBeLessThan(HEAP_MAX_BYTES);
  const message = expect.stringContaining(`more than ${REPLY_MAX_ELEMENTS} elements`);
  expect([received, ending]).toEqual([[], { kind: "violation", message }]);
});

test("the elements of all messages count together", () => {
  const conversation = new Conversation({ ...setting(6), messageSizeMaxBytes: 32 * 1024 * 1024 });
  const call = encodeFrame(0x040d, Buffer.alloc(2_000, Uint8Array.of(0x22, 0)));
  let calls = 0;
  for (; !conversation.terminated && calls < 1_000; calls++) conversation.receive(call);
  expect(calls).toBe(REPLY_MAX_ELEMENTS / 1_000 + 1);
});

test("a suspension on as many results as a journal may have is no violation", () => {
  const conversation = new Conversation({ ...setting(7), messageSizeMaxBytes: 32 * 1024 * 1024 });
  const completions = field(0x0a, Buffer.alloc(100_000, 1));
  conversation.receive(encodeFrame(0x0001, field(0x22, completions)));
  expect(conversation.finish("eof").ending.kind).toBe("suspended");
});
