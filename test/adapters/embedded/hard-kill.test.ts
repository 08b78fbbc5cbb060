/** What a store holds after its process was killed in the middle of its writes. */
import type { ChildProcess } from "node:child_process";
import { spawn } from "node:child_process";
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

afterAll(() => removeDirectory(dir));

function startWriter(storeDir: string): ChildProcess {
  const env = { ...process.env, NODE_PATH: join(ROOT, "node_modules") };
  return spawn(process.execPath, [program, storeDir], { env, stdio: ["ignore", "pipe", "inherit"] });
}

/** Runs the writer until it printed so many lines, kills it, and returns all that it printed. */
async function killedAfter(storeDir: string, lineCount: number): Promise<string[]> {
  const child = startWriter(storeDir);
  const exited = once(child, "exit");
  const lines: string[] = [];
  for await (const line of createInterface({ input: child.stdout! })) {
    lines.push(line);
    if (lines.length === lineCount) child.kill("SIGKILL");
  }
  expect((await exited)[1]).toBe("SIGKILL");
  return lines.slice(1);
}

describe("a store whose process was killed with SIGKILL", () => {
  test.each([50, 300, 1500])("holds every acknowledged write and no half of any, killed after %i", async (count) => {
    const storeDir = join(dir, `killed-${count}`);
    const acknowledged = await killedAfter(storeDir, count);
    expect(acknowledged.length).toBeGreaterThanOrEqual(count - 1);
    const store = await openStore(storeDir, { kind: "journal" });
    const table = new EmbeddedTable(store);
    const queue = await openEmbeddedQueue(store, new SteppedClock(Date.now() + 1000));
    const messages = new Set((await queue.receive(1_000_000, 1000, 0)).map(({ wake }) => wake.invocationId));
    const last = Math.max(...acknowledged.map((line) => Number(line.split(" ")[1])));
    const promised = new Map(acknowledged.map((line) => [Number(line.split(" ")[1]), line]));
    let indexed = 0;
    // The writer has 16 writes under way at once, so some lie behind the last one that it was told of.
    for (let n = 0; n <= last + 16; n++) {
      const { items } = await table.query(`n${n}`);
      indexed += items.length;
      if (n % 3 === 2) {
        if (promised.has(n)) expect(messages).toContain(invocation(n));
        continue;
      }
      const whole = n % 3 === 0 ? ["a"] : ["a", "b", "c"];
      if (promised.has(n) || items.length > 0) expect(items.map(({ sk }) => sk)).toEqual(whole);
      for (const item of items)
        expect(Buffer.compare(item["bytes"] as Uint8Array, new Uint8Array(500).fill(n))).toBe(0);
    }
    expect(await countOpen(table)).toBe(indexed);
    await store.close();
  });

  test("is locked while the process lives and free once it is dead", async () => {
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
