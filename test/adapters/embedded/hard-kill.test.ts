/** Tests a store whose process was killed during its writes: its content and its lock. */
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { build } from "esbuild";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openEmbeddedQueue } from "../../../shared/adapters/embedded/embedded-queue.ts";
import { EmbeddedTable } from "../../../shared/adapters/embedded/embedded-table.ts";
import { openStore } from "../../../shared/adapters/embedded/store.ts";
import { invocation } from "../../contracts/queue-contract.ts";
import { removeDirectory, temporaryDirectory } from "../../contracts/temporary-directory.ts";
import { SteppedClock } from "../../stepped-clock.ts";

const ROOT = join(import.meta.dirname, "../../..");

let dir: string;
let program: string;
const children: ChildProcess[] = [];

beforeAll(async () => {
  dir = await temporaryDirectory();
  program = join(dir, "writer.cjs");
  const entryPoints = [join(import.meta.dirname, "writer-process.ts")];
  await build({
    entryPoints,
    bundle: true,
    platform: "node",
    format: "cjs",
    external: ["classic-level"],
    outfile: program,
    logLevel: "error",
  });
});

afterAll(async () => {
  // The writer of a test that timed out still runs.
  for (const child of children) child.kill("SIGKILL");
  await removeDirectory(dir);
});

/** @param fileMaxBlocks the size limit of each file in blocks; a block has 512 bytes, in some shells 1024 */
function startWriter(storeDir: string, fileMaxBlocks?: number): ChildProcess {
  const env = { ...process.env, NODE_PATH: join(ROOT, "node_modules") };
  // With the signal ignored, a write beyond the limit fails midway, as on a full disk.
  const limit = fileMaxBlocks === undefined ? "" : `trap '' XFSZ; ulimit -f ${fileMaxBlocks};`;
  const args = ["-c", `${limit} exec "$0" "$@"`, process.execPath, program, storeDir];
  const child = spawn("sh", args, { env, stdio: ["ignore", "pipe", "inherit"] });
  children.push(child);
  return child;
}

/** Kills the writer after the first line for which `isLast` is true, and returns all printed lines. */
async function killedAfter(child: ChildProcess, isLast: (line: string, count: number) => boolean): Promise<string[]> {
  const exited = once(child, "exit");
  const lines: string[] = [];
  let isKilled = false;
  for await (const line of createInterface({ input: child.stdout! })) {
    if (line === "open") continue;
    lines.push(line);
    if (isKilled || !isLast(line, lines.length)) continue;
    isKilled = true;
    child.kill("SIGKILL");
  }
  expect((await exited)[1]).toBe("SIGKILL");
  return lines;
}

/** Opens the store of a killed writer, and fails if an acknowledged write is missing or any write is partial. */
async function expectWhole(storeDir: string, printed: readonly string[]): Promise<void> {
  const numberOf = (line: string): number => Number(line.split(" ")[1]);
  const promised = new Set(printed.filter((line) => !line.startsWith("failed")).map(numberOf));
  const store = await openStore(storeDir, { kind: "journal" });
  const table = new EmbeddedTable(store);
  const queue = await openEmbeddedQueue(store, new SteppedClock(Date.now() + 1000));
  const messages = new Set((await queue.receive(1_000_000, 1000, 0)).map(({ wake }) => wake.invocationId));
  let indexed = 0;
  // The writer has 16 writes under way at once, so up to 16 unacknowledged writes may follow the last printed write.
  for (let n = 0; n <= Math.max(...printed.map(numberOf)) + 16; n++) {
    const { items } = await table.query(`n${n}`);
    indexed += items.length;
    if (n % 3 === 2) {
      if (promised.has(n)) expect(messages).toContain(invocation(n));
      continue;
    }
    const whole = n % 3 === 0 ? ["a"] : ["a", "b", "c"];
    if (promised.has(n) || items.length > 0) expect(items.map(({ sk }) => sk)).toEqual(whole);
    for (const item of items) expect(Buffer.compare(item["bytes"] as Uint8Array, new Uint8Array(500).fill(n))).toBe(0);
  }
  expect(await countOpen(table)).toBe(indexed);
  await store.close();
}

describe("a store whose process was killed with SIGKILL", () => {
  test.each([50, 300, 1500])(
    "contains every acknowledged write and no partial one, if the kill came after %i lines",
    async (count) => {
      const storeDir = join(dir, `killed-${count}`);
      const printed = await killedAfter(startWriter(storeDir), (_, printedCount) => printedCount === count);
      expect(printed.length).toBeGreaterThanOrEqual(count);
      expect(printed.filter((line) => line.startsWith("failed"))).toEqual([]);
      await expectWhole(storeDir, printed);
    },
  );

  test("contains every acknowledged write, even after a write that failed midway", async () => {
    const storeDir = join(dir, "full");
    let failures = 0;
    let since = 0;
    const printed = await killedAfter(startWriter(storeDir, 1000), (line) => {
      if (line.startsWith("failed")) failures += 1;
      else if (failures > 0) since += 1;
      return since === 200;
    });
    expect(failures).toBeGreaterThan(0);
    await expectWhole(storeDir, printed);
  });

  test("is locked while the process lives, and free after its end", async () => {
    const storeDir = join(dir, "locked");
    const child = startWriter(storeDir);
    for await (const line of createInterface({ input: child.stdout! })) if (line === "open") break;
    await expect(openStore(storeDir, { kind: "journal" })).rejects.toMatchObject({
      name: "StoreOpenError",
      reason: "locked",
      dir: storeDir,
    });
    const exited = once(child, "exit");
    child.kill("SIGKILL");
    await exited;
    await (await openStore(storeDir, { kind: "journal" })).close();
  });
});

async function countOpen(table: EmbeddedTable): Promise<number> {
  let count = 0;
  for (let after: string | undefined; ;) {
    const page = await table.queryIndex("open", "open", after === undefined ? {} : { after });
    count += page.items.length;
    if (page.next === undefined) return count;
    after = page.next;
  }
}
