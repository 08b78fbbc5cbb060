/**
 * Reads a log of LevelDB with all its checksums: a log of writes, or the MANIFEST (google/leveldb, doc/log_format.md). LevelDB itself
 * drops damaged records of a log of writes and goes on, so their loss would stay unnoticed.
 */
import { maskedChecksumAfter } from "./checksum.ts";

const BLOCK_BYTES = 32_768;
const HEADER_BYTES = 7;
const FULL = 1;
const FIRST = 2;
const MIDDLE = 3;
const LAST = 4;

export interface LogRead {
  readonly records: readonly Uint8Array[];
  /** The place of the first damaged byte that sound records follow: nothing but damage leaves such a file. */
  readonly damagedAt: number | undefined;
  /**
   * The bytes at the end that are no whole record. The end of the process or of the power in the middle of a write leaves them, and so
   * does damage of the last record.
   */
  readonly tornBytes: number;
}

export function readLog(bytes: Uint8Array): LogRead {
  const records: Uint8Array[] = [];
  let parts: Uint8Array[] = [];
  /** Where the record began whose parts are read. */
  let began = 0;
  let at = 0;
  while (at < bytes.length) {
    const left = BLOCK_BYTES - (at % BLOCK_BYTES);
    if (left < HEADER_BYTES) {
      at += left;
      continue;
    }
    const found = fragmentAt(bytes, at);
    const continues = parts.length > 0;
    if (found === undefined || continues !== (found.type === MIDDLE || found.type === LAST)) {
      // A writer that died in the middle of a record leaves its first parts; the next process may go on in the same file.
      const isSound = found !== undefined && continues;
      if (isSound || soundAfter(bytes, at + 1)) return { records, damagedAt: continues ? began : at, tornBytes: 0 };
      return { records, damagedAt: undefined, tornBytes: bytes.length - (continues ? began : at) };
    }
    if (!continues) began = at;
    parts.push(found.data);
    at = found.end;
    if (found.type === FIRST || found.type === MIDDLE) continue;
    records.push(parts.length === 1 ? parts[0]! : Buffer.concat(parts));
    parts = [];
  }
  return { records, damagedAt: undefined, tornBytes: parts.length > 0 ? bytes.length - began : 0 };
}

interface Fragment {
  readonly type: number;
  readonly data: Uint8Array;
  readonly end: number;
}

/** @returns undefined if no whole fragment with a right checksum is at this place */
function fragmentAt(bytes: Uint8Array, at: number): Fragment | undefined {
  const left = Math.min(BLOCK_BYTES - (at % BLOCK_BYTES), bytes.length - at);
  if (left < HEADER_BYTES) return undefined;
  const [length, type] = [bytes[at + 4]! | (bytes[at + 5]! << 8), bytes[at + 6]!];
  const end = at + HEADER_BYTES + length;
  if (type < FULL || type > LAST || HEADER_BYTES + length > left) return undefined;
  const stored = (bytes[at]! | (bytes[at + 1]! << 8) | (bytes[at + 2]! << 16) | (bytes[at + 3]! << 24)) >>> 0;
  if (maskedChecksumAfter(type, bytes, at + HEADER_BYTES, end) !== stored) return undefined;
  return { type, data: bytes.subarray(at + HEADER_BYTES, end), end };
}

/** Runs only once damage is found: looks at every place, because a damaged length leads to no later record. */
function soundAfter(bytes: Uint8Array, from: number): boolean {
  for (let at = from; at + HEADER_BYTES <= bytes.length; at++) if (fragmentAt(bytes, at) !== undefined) return true;
  return false;
}
