/** Messages of the protocol as an attacker writes them: tags, lengths and bytes by hand. */
import { encodeFrame } from "../../shared/core/protocol/frame.ts";
import type { Answer } from "./attack.ts";

export const LARGEST_BYTES = 31 * 1024 * 1024;

export const CODE = {
  suspension: 0x0001,
  error: 0x0002,
  end: 0x0003,
  output: 0x0401,
  getLazyState: 0x0402,
  getEagerStateKeys: 0x0408,
  setState: 0x0403,
  clearAllState: 0x0405,
  sleep: 0x040c,
  call: 0x040d,
  oneWayCall: 0x040e,
} as const;

export function varint(value: number): number[] {
  return value < 128 ? [value] : [(value % 128) | 128, ...varint(Math.floor(value / 128))];
}

/** A field of bytes or of text. */
export function field(number: number, content: Uint8Array | string): Buffer {
  const bytes = Buffer.from(content as string);
  return Buffer.concat([Uint8Array.from([...varint(number * 8 + 2), ...varint(bytes.length)]), bytes]);
}

export function numberField(number: number, value: number): Buffer {
  return Buffer.from([...varint(number * 8), ...varint(value)]);
}

/** These bytes, repeated up to the largest size of a message. */
export function repeatedly(...unit: number[]): Buffer {
  return Buffer.alloc(LARGEST_BYTES - (LARGEST_BYTES % unit.length), Uint8Array.from(unit));
}

export function message(code: number, ...fields: readonly Uint8Array[]): Buffer {
  return Buffer.from(encodeFrame(code, Buffer.concat(fields)));
}

export const END = message(CODE.end);

/** An output message with the value, and the end message. */
export function output(value: Uint8Array | string): Buffer {
  return Buffer.concat([message(CODE.output, field(14, field(1, value))), END]);
}

export function sendTo(handler: string, at: number, ...more: readonly Uint8Array[]): Buffer {
  return message(CODE.oneWayCall, field(1, "Attacker"), field(2, handler), ...more, numberField(10, at));
}

/** The message with which an attempt fails. */
export function error(code: number, text: string, ...more: readonly Uint8Array[]): Buffer {
  return message(CODE.error, numberField(1, code), field(2, text), ...more);
}

/** Gives the same answer to each attempt; the first attempt builds it. */
export function always(make: () => Uint8Array): Answer {
  let bytes: Uint8Array | undefined;
  return ({ stream, contentType }) => {
    bytes ??= make();
    stream.respond({ ":status": 200, "content-type": contentType });
    stream.end(bytes);
  };
}

/** Counts the commands in the journal of a request. The input command does not count. */
export function commandsIn(body: Buffer): number {
  let commands = 0;
  for (let at = 0; at + 8 <= body.length; at += 8 + body.readUInt32BE(at + 4)) {
    const code = body.readUInt16BE(at);
    if (code > 0x0400 && code < 0x8000) commands += 1;
  }
  return commands;
}
