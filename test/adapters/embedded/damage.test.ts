/**
 * Tests what damage of a store's files leads to: a refusal that names the file, or the whole content; and of a torn last write, the
 * content without that write, and a report. Damage never goes unnoticed.
 */
import { cpSync, existsSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { StoreOpenError } from "../../../shared/adapters/embedded/store-version.ts";
import { openStore } from "../../../shared/adapters/embedded/store.ts";
import { removeDirectory, temporaryDirectory } from "../../contracts/temporary-directory.ts";
import { Random } from "../../simulation/random.ts";

const ENTRIES = 900;
const FLIPS = 24;
/** Small, so that a few entries make several tables and logs. */
const WRITE_BUFFER_BYTES = 128 * 1024;

const keyOf = (n: number): string => `i/${String(n).padStart(6, "0")}`;
/** Each fortieth value is larger than a block of a log. */
const valueOf = (n: number): Uint8Array =>
  new TextEncoder().encode(`value ${n} of a store `.repeat(n % 40 === 0 ? 2_000 : 8));

let parent: string;
/** A directory as a killed process left it. */
let killed: string;

beforeAll(async () => {
  parent = await temporaryDirectory();
  const dir = join(parent, "living");
  killed = join(parent, "killed");
  const store = await openStore(dir, { kind: "journal", writeBufferMaxBytes: WRITE_BUFFER_BYTES });
  for (let n = 0; n < ENTRIES; n += 3) await store.writeGroup([n, n + 1, n + 2].map((m) => putOf(m)));
  cpSync(dir, killed, { recursive: true });
  await store.close();
});

afterAll(() => removeDirectory(parent));

function putOf(n: number): { type: "put"; key: string; value: Uint8Array } {
  return { type: "put", key: keyOf(n), value: valueOf(n) };
}

/** @returns a copy of the killed directory */
function copied(): string {
  const dir = join(parent, "copy");
  rmSync(dir, { recursive: true, force: true });
  cpSync(killed, dir, { recursive: true });
  return dir;
}

interface Found {
  /** Why the store was refused. */
  readonly refused?: StoreOpenError;
  readonly torn: readonly { readonly file: string; readonly bytes: number }[];
  /** The number of entries, from the first on, that are there and right; undefined if entries after a missing one are there. */
  readonly whole: number | undefined;
}

async function openedAndRead(dir: string): Promise<Found> {
  const store = await openStore(dir, { kind: "journal" }).catch((error: unknown) => {
    if (error instanceof StoreOpenError) return error;
    throw error;
  });
  if (store instanceof StoreOpenError) return { refused: store, torn: [], whole: undefined };
  try {
    const isRight = Array.from({ length: ENTRIES }, (_, n) => {
      const value = store.read(keyOf(n));
      return value !== undefined && Buffer.compare(value, valueOf(n)) === 0;
    });
    const end = isRight.indexOf(false);
    const whole = end === -1 ? ENTRIES : isRight.lastIndexOf(true) < end ? end : undefined;
    return { torn: store.torn, whole };
  } finally {
    await store.close();
  }
}

function files(ending: RegExp): string[] {
  return readdirSync(join(killed, "db")).filter((name) => ending.test(name));
}

test("a directory that a killed process left opens whole, and reports no torn end", async () => {
  expect(files(/\.ldb$/).length).toBeGreaterThan(1);
  expect(files(/\.log$/).length).toBeGreaterThan(0);
  expect(await openedAndRead(copied())).toEqual({ torn: [], whole: ENTRIES });
});

describe("a flipped bit", () => {
  test.each(["log", "ldb", "MANIFEST", "CURRENT"])(
    "in a file %s is refused, harmless, or a torn end that is reported",
    async (kind) => {
      const random = new Random(kind.length);
      const names = files(new RegExp(String.raw`^(?:${kind}|\d+\.${kind})`));
      const outcomes = { refused: 0, harmless: 0, torn: 0 };
      for (let n = 0; n < FLIPS; n++) {
        const dir = copied();
        const path = join(dir, "db", random.pick(names));
        const bytes = readFileSync(path);
        if (bytes.length === 0) continue;
        const at = random.between(0, bytes.length - 1);
        bytes[at]! ^= 1 << random.between(0, 7);
        writeFileSync(path, bytes);
        const { refused, torn, whole } = await openedAndRead(dir);
        if (refused !== undefined) {
          outcomes.refused++;
          expect(refused.reason).toBe("unreadable");
        } else if (torn.length > 0) {
          outcomes.torn++;
          // Only whole writes of the end are missing.
          expect(whole).toBeDefined();
        } else {
          outcomes.harmless++;
          expect({ path, at, whole }).toEqual({ path, at, whole: ENTRIES });
        }
      }
      expect(outcomes.refused).toBeGreaterThan(FLIPS / 4);
      expect(outcomes.torn).toBeLessThan(FLIPS / 4);
    },
  );

  test("in a table is refused with the name of the file and the place", async () => {
    const dir = copied();
    const [name] = files(/\.ldb$/);
    const path = join(dir, "db", name!);
    const bytes = readFileSync(path);
    bytes[100]! ^= 1;
    writeFileSync(path, bytes);
    const { refused } = await openedAndRead(dir);
    expect(refused?.message).toBe(`${path} is damaged: the block at byte 0 does not match its checksum`);
    // The refusal changes nothing, so a backup of this one file is enough.
    expect(readFileSync(path)).toEqual(bytes);
  });
});

describe("a log that is cut at any byte", () => {
  test("keeps every write before the cut, and reports the rest of a write", async () => {
    const random = new Random(7);
    const name = files(/\.log$/)
      .toSorted()
      .at(-1)!;
    let reported = 0;
    for (let n = 0; n < 20; n++) {
      const dir = copied();
      const path = join(dir, "db", name);
      const { length } = readFileSync(path);
      truncateSync(path, random.between(0, length));
      const { refused, torn, whole } = await openedAndRead(dir);
      expect(refused).toBeUndefined();
      expect(whole).toBeDefined();
      expect(whole! % 3).toBe(0);
      for (const { bytes } of torn) expect(bytes).toBeGreaterThan(0);
      reported += torn.length;
    }
    expect(reported).toBeGreaterThan(10);
  });

  test("in the middle, with sound writes behind the gap, is refused", async () => {
    const dir = copied();
    const path = join(
      dir,
      "db",
      files(/\.log$/)
        .toSorted()
        .at(-1)!,
    );
    const bytes = readFileSync(path);
    bytes.fill(0, 50, 90);
    writeFileSync(path, bytes);
    const { refused } = await openedAndRead(dir);
    expect(refused?.reason).toBe("unreadable");
    expect(refused?.message).toContain("is not what was written");
  });
});

test("a log that is missing is refused, although the database would open without it", async () => {
  const dir = copied();
  const manifest = join(dir, "db", readFileSync(join(dir, "db", "CURRENT"), "utf8").trim());
  expect(existsSync(manifest)).toBe(true);
  for (const name of files(/\.log$/)) rmSync(join(dir, "db", name));
  const { refused } = await openedAndRead(dir);
  expect(refused?.message).toMatch(/names the log \d+, which is missing$/);
});

test("a table that a killed process had not finished is ignored", async () => {
  const dir = copied();
  writeFileSync(join(dir, "db", "000999.ldb"), "half of a table");
  expect(await openedAndRead(dir)).toEqual({ torn: [], whole: ENTRIES });
});
