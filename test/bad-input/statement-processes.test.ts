/** Statements that try to block or end the process: each one is ended, and other requests are served meanwhile. */
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { INGRESS_SERVICES } from "../harness/local/ingress-services.ts";
import { openLocalStage } from "../harness/local/local-stage.ts";
import type { LocalStage } from "../harness/local/local-stage.ts";
import { childrenOf, commandOf, isRunning, until } from "../running-processes.ts";

/** Each stage has one limit that the statements reach, and one that they cannot reach even on a slow machine. */
const LITTLE_MEMORY = { "admin.query-engine.memory-size": "64MiB", "admin.query-engine.time-limit": "60s" } as const;
const LITTLE_TIME = { "admin.query-engine.memory-size": "1GiB", "admin.query-engine.time-limit": "3s" } as const;
/** The memory limit of LITTLE_TIME. */
const MEMORY_MIB = 1024;
const HEADERS = { "content-type": "application/json", accept: "application/json" };
const SERVED_WITHIN_MS = 1_000;

let stage: LocalStage;
let smallStage: LocalStage;
beforeAll(async () => {
  stage = await openLocalStage({ services: INGRESS_SERVICES, flags: LITTLE_TIME });
  smallStage = await openLocalStage({ services: INGRESS_SERVICES, flags: LITTLE_MEMORY });
});
afterAll(() => Promise.all([stage.close(), smallStage.close()]));

async function asked(query: string, at = stage, signal?: AbortSignal): Promise<{ status: number; body: string }> {
  const body = JSON.stringify({ query });
  const init = { method: "POST", headers: HEADERS, body, ...(signal && { signal }) };
  const response = await fetch(`${at.adminUri}/query`, init);
  return { status: response.status, body: await response.text() };
}

/** Each level evaluates the one below twice. */
function doubling(levels: number): string {
  let statement = "SELECT ordinal_position AS x FROM information_schema.columns";
  for (let level = 0; level < levels; level++) statement = `SELECT x+x AS x FROM (${statement}) t`;
  return statement;
}

/** Makes a text of 200 million letters from three texts that fit into a statement. */
const GROWING = `SELECT ${[1_000, 100_000, 2].reduce((text, times) => `REPLACE(${text},'a','${"a".repeat(times)}')`, "'a'")} AS x FROM information_schema.columns`;

const LONG_LIKE = `SELECT table_name FROM information_schema.columns WHERE '${"a".repeat(120_000)}' LIKE '%${"a".repeat(60_000)}_b%'`;

/** The child processes that evaluate statements with this memory limit. */
function evaluators(memoryMib: number): number[] {
  return childrenOf(process.pid).filter((pid) => commandOf(pid).includes(`--max-old-space-size=${memoryMib}`));
}

/**
 * Calls until the work is over.
 * @returns the longest time of a call in milliseconds
 */
async function servedMeanwhile(work: Promise<unknown>, at: LocalStage): Promise<number> {
  let isOver = false;
  void work.finally(() => (isOver = true)).catch(() => undefined);
  let longestMs = 0;
  while (!isOver) {
    const startedMs = performance.now();
    const health = await fetch(`${at.adminUri}/health`);
    const call = await fetch(`${at.ingressUri}/Greeter/greet`, { method: "POST", headers: HEADERS, body: '"you"' });
    expect([health.status, await call.json()]).toEqual([200, "Hello you"]);
    longestMs = Math.max(longestMs, performance.now() - startedMs);
  }
  return longestMs;
}

describe("while other requests are served", () => {
  async function refusedWhileOthersAreServed(statement: string, at: LocalStage, bound: RegExp): Promise<void> {
    const answer = asked(statement, at);
    expect(await servedMeanwhile(answer, at)).toBeLessThan(SERVED_WITHIN_MS);
    expect(await answer).toEqual({ status: 400, body: expect.stringMatching(bound) });
    expect(await asked("SELECT name FROM sys_service LIMIT 1", at)).toMatchObject({ status: 200 });
  }

  test.each([
    ["makes a text longer and longer", GROWING],
    ["doubles its work 28 times", doubling(28)],
  ])(
    "a statement that %s is refused, and the answer names the memory limit and its setting",
    async (_what, statement) => {
      const bound = /more than 64 MiB of memory.*admin\.query-engine\.memory-size/;
      await refusedWhileOthersAreServed(statement, smallStage, bound);
    },
  );

  test.each([
    ["doubles its work 28 times", doubling(28)],
    ["looks for a long pattern in a long text", LONG_LIKE],
  ])(
    "a statement that %s is refused, and the answer names the time limit and its setting",
    async (_what, statement) => {
      const bound = /not answered in 3 s.*admin\.query-engine\.time-limit/;
      await refusedWhileOthersAreServed(statement, stage, bound);
    },
  );
});

test("a statement that reaches its limit after its first rows is broken off, and the log says why", async () => {
  const body = JSON.stringify({ query: doubling(10) });
  const response = await fetch(`${stage.adminUri}/query`, { method: "POST", headers: HEADERS, body });
  expect([response.status, response.headers.get("content-length")]).toEqual([200, null]);
  await expect(response.text()).rejects.toThrow("terminated");
  expect(stage.logged.join()).toMatch(/broken off.*kind=refused.*not answered in 3 s/);
});

test("when a client leaves, the processes that evaluate its statement end within a second", async () => {
  const leaving = new AbortController();
  const left = asked(doubling(28), stage, leaving.signal).catch((error: unknown) => error);
  await sleep(500);
  const pids = evaluators(MEMORY_MIB);
  expect(pids.length).toBeGreaterThan(0);
  leaving.abort();
  await until(() => !pids.some(isRunning), SERVED_WITHIN_MS);
  expect(await left).toMatchObject({ name: "AbortError" });
});

test("two statements run, sixteen wait, and the next is refused at once", async () => {
  const leaving = new AbortController();
  const open = Array.from({ length: 18 }, () => asked(doubling(28), stage, leaving.signal).catch(() => undefined));
  const refused = async (): Promise<boolean> => {
    const startedMs = performance.now();
    const { status, body } = await asked("SELECT name FROM sys_service LIMIT 1", stage, AbortSignal.timeout(200)).catch(
      () => ({ status: 0, body: "" }),
    );
    return status === 503 && /2 statements run and 16 wait.*again/.test(body) && performance.now() - startedMs < 200;
  };
  await until(refused);
  leaving.abort();
  await Promise.all(open);
  expect(await asked("SELECT name FROM sys_service LIMIT 1")).toMatchObject({ status: 200 });
});

test("a process that gets the stop signal ends in time, and its running statements end too", async () => {
  const other = await openLocalStage({ flags: { "admin.query-engine.memory-size": "65MiB" } });
  const answer = asked(doubling(28), other);
  await until(() => evaluators(65).length > 0);
  await sleep(500);
  const pids = evaluators(65);
  const startedMs = performance.now();
  await other.close();
  expect(performance.now() - startedMs).toBeLessThan(2_000);
  expect(await answer).toEqual({ status: 503, body: expect.stringContaining("stopping") });
  await until(() => !pids.some(isRunning), SERVED_WITHIN_MS);
});
