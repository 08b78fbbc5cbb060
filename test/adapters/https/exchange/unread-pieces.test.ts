/** Tests that unread bytes keep their order, and take memory in proportion, however small their pieces are. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { UnreadPieces } from "../../../../shared/adapters/https/exchange/carried-exchange.ts";

function rest(unread: UnreadPieces): Uint8Array[] {
  const pieces: Uint8Array[] = [];
  for (let piece = unread.shift(); piece !== undefined; piece = unread.shift()) pieces.push(piece);
  return pieces;
}

test("pieces of any sizes, taken at any moments, keep their order and their number of bytes", () => {
  const steps = fc.array(fc.oneof(fc.nat({ max: 400 }), fc.constant("take" as const)), { maxLength: 600 });
  fc.assert(
    fc.property(steps, (drawn) => {
      const unread = new UnreadPieces();
      const [given, taken]: [Uint8Array[], Uint8Array[]] = [[], []];
      let next = 0;
      for (const step of drawn) {
        if (step === "take") {
          const piece = unread.shift();
          if (piece !== undefined) taken.push(piece.slice());
          continue;
        }
        const bytes = Uint8Array.from({ length: step }, () => (next = (next + 7) & 255));
        given.push(bytes);
        unread.push(bytes);
      }
      const unreadBytes = unread.bytes;
      const remaining = rest(unread);
      expect(unreadBytes).toBe(remaining.reduce((sum, { length }) => sum + length, 0));
      expect(Buffer.concat([...taken, ...remaining]).equals(Buffer.concat(given))).toBe(true);
      expect(unread.bytes).toBe(0);
    }),
  );
});

test("32,768 unread pieces of one byte are kept in less than a hundred", () => {
  const unread = new UnreadPieces();
  const chunk = new Uint8Array(64 * 1024).map((_, at) => at & 255);
  for (let at = 0; at < 32_768; at++) unread.push(chunk.subarray(at, at + 1));
  const pieces = rest(unread);
  expect(pieces.length).toBeLessThan(100);
  expect(pieces.every(({ buffer }) => buffer.byteLength <= 1_024)).toBe(true);
  expect(Buffer.concat(pieces).equals(Buffer.from(chunk.subarray(0, 32_768)))).toBe(true);
});
