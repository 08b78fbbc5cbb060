/** Statements that try to block or end the process: each one is ended, and other requests are served meanwhile. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { INGRESS_SERVICES } from "../harness/local/ingress-services.ts";
import { openLocalStage, type LocalStage } from "../harness/local/local-stage.ts";
import { childrenOf, commandOf, isRunning, until } from "../running-processes.ts";
import { fetch } from "../harness/local/admin-access.ts";

/** Each stage has one limit that the statements reach, and one that they cannot reach even on a slow machine. */
const LITTLE_MEMORY = { "admin.query-engine.memory-size": "64MiB", "admin.query-engine.time-limit": "60s" } as const;
/** A statement on this stage gets its first rows in time, and not its last ones, if it has as much to do as suits the machine. */
const SOME_TIME = { "admin.query-engine.memory-size": "1GiB", "admin.query-engine.time-limit": "6s" } as const;
const LITTLE_TIME = { "admin.query-engine.memory-size": "1GiB", "admin.query-engine.time-limit": "3s" } as const;
/** A statement on this stage goes on for minutes, unless something ends it. The memory limit tells its processes from others. */
const LONG_TIME = { "admin.query-engine.memory-size": "1023MiB", "admin.query-engine.time-limit": "20m" } as const;
const LONG_TIME_MIB = 1023;
const HEADERS = { "content-type": "application/json", accept: "application/json" };

let stage: LocalStage;
let smallStage: LocalStage;
let longStage: LocalStage;
let someStage: LocalStage;
beforeAll(async () => {
  stage = await openLocalStage({ services: INGRESS_SERVICES, flags: LITTLE_TIME });
  smallStage = await openLocalStage({ services: INGRESS_SERVICES, flags: LITTLE_MEMORY });
  longStage = await openLocalStage({ services: INGRESS_SERVICES, flags: LONG_TIME });
  someStage = await openLocalStage({ services: INGRESS_SERVICES, flags: SOME_TIME });
});
afterAll(() => Promise.all([stage, smallStage, longStage, someStage].map((one) => one.close())));

async function asked(query: string, at = stage, signal?: AbortSignal): Promise<{ status: number; body: string }> {
  const body = JSON.stringify({ query });
  const init = { method: "POST", headers: HEADERS, body, ...(signal && { signal }) };
  const response = await fetch(`${at.adminUri}/query`, init);
  return { status: response.status, body: await response.text() };
}

const SERVED_LEAST = 3;

/** Looks in a text of each row for a pattern that is not there. Each level doubles the work. */
function searching(levels: number): string {
  const letters = Math.round(40 * 2 ** (levels / 2));
  const pattern = `%${"a".repeat(letters / 2)}_b%`;
  return `SELECT ordinal_position AS x FROM information_schema.columns WHERE NOT (column_name || '${"a".repeat(letters)}' LIKE '${pattern}')`;
}

/** Sorts all combinations of three columns of tables. */
const COMBINATIONS = `SELECT a.column_name || b.column_name || c.column_name AS x FROM information_schema.columns a
  JOIN information_schema.columns b ON a.table_schema = b.table_schema
  JOIN information_schema.columns c ON a.table_schema = c.table_schema ORDER BY x`;

/** Makes a text of 200 million letters from three texts that fit into a statement. */
const GROWING = `SELECT ${[1_000, 100_000, 2].reduce((text, times) => `REPLACE(${text},'a','${"a".repeat(times)}')`, "'a'")} AS x FROM information_schema.columns`;

const LONG_LIKE = `SELECT table_name FROM information_schema.columns WHERE '${"a".repeat(120_000)}' LIKE '%${"a".repeat(60_000)}_b%'`;

/** The child processes that evaluate statements with this memory limit. */
function evaluators(memoryMib: number): number[] {
  return childrenOf(process.pid).filter((pid) => commandOf(pid).includes(`--max-old-space-size=${memoryMib}`));
}

/**
 * Calls until the work is over.
 * @returns the number of calls that were answered before
 */
async function servedMeanwhile(work: Promise<unknown>, at: LocalStage): Promise<number> {
  let isOver = false;
  void work.finally(() => (isOver = true)).catch(() => undefined);
  let served = 0;
  while (!isOver) {
    const health = await fetch(`${at.adminUri}/health`);
    const call = await fetch(`${at.ingressUri}/Greeter/greet`, { method: "POST", headers: HEADERS, body: '"you"' });
    expect([health.status, await call.json()]).toEqual([200, "Hello you"]);
    if (!isOver) served++;
  }
  return served;
}

describe("while other requests are served", () => {
  async function refusedWhileOthersAreServed(statement: string, at: LocalStage, bound: RegExp): Promise<void> {
    const answer = asked(statement, at);
    // The statement computes for many times as long as a call takes. If it kept the process busy, no call would be answered before it.
    expect(await servedMeanwhile(answer, at)).toBeGreaterThanOrEqual(SERVED_LEAST);
    expect(await answer).toEqual({ status: 400, body: expect.stringMatching(bound) });
    await expect.poll(async () => (await asked("SELECT name FROM sys_service LIMIT 1", at)).status).toBe(200);
  }

  test.each([
    ["makes a text longer and longer", GROWING],
    ["sorts all combinations of three rows", COMBINATIONS],
  ])(
    "a statement that %s is refused, and the answer names the memory limit and its setting",
    async (_what, statement) => {
      const bound = /more than 64 MiB of memory.*admin\.query-engine\.memory-size/;
      await refusedWhileOthersAreServed(statement, smallStage, bound);
    },
  );

  test.each([
    ["doubles its work 22 times", searching(22)],
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
  const ask = (levels: number) =>
    fetch(`${someStage.adminUri}/query`, {
      method: "POST",
      headers: HEADERS,
      body: JSON.stringify({ query: searching(levels) }),
    });
  let broken: Error | undefined;
  // On a slow machine the limit may come before the first rows, and on a quick one after the last ones.
  for (let levels = 11; broken === undefined;) {
    const response = await ask(levels);
    if (response.status !== 200) {
      expect(await response.text()).toContain("not answered in 6 s");
      levels--;
      continue;
    }
    expect(response.headers.get("content-length")).toBeNull();
    broken = await response.text().then(
      () => undefined,
      (error: Error) => error,
    );
    levels++;
  }
  expect(broken.message).toContain("terminated");
  expect(someStage.logged.join()).toMatch(/broken off.*kind=refused.*not answered in 6 s/);
});

test("when a client leaves, the processes that evaluate its statement end, although the statement is far from its end", async () => {
  const leaving = new AbortController();
  const left = asked(LONG_LIKE, longStage, leaving.signal).catch((error: unknown) => error);
  await until(() => evaluators(LONG_TIME_MIB).length > 0);
  const pids = evaluators(LONG_TIME_MIB);
  leaving.abort();
  await until(() => !pids.some(isRunning));
  expect(await left).toMatchObject({ name: "AbortError" });
});

test("two statements run, sixteen wait, and the next is refused before any of them ends", async () => {
  const leaving = new AbortController();
  let ended = 0;
  const open = Array.from({ length: 18 }, () =>
    asked(LONG_LIKE, longStage, leaving.signal)
      .catch(() => undefined)
      .finally(() => ended++),
  );
  // A statement that comes before the eighteen have arrived waits with them, so its client leaves again.
  const refused = async (): Promise<boolean> => {
    const short = AbortSignal.timeout(1_000);
    const answer = asked("SELECT name FROM sys_service LIMIT 1", longStage, short);
    const { status, body } = await answer.catch(() => ({ status: 0, body: "" }));
    return status === 503 && /2 statements run and 16 wait.*again/.test(body);
  };
  await until(refused);
  expect(ended).toBe(0);
  leaving.abort();
  await Promise.all(open);
  expect(await asked("SELECT name FROM sys_service LIMIT 1", longStage)).toMatchObject({ status: 200 });
});

test("a process that gets the stop signal ends, and its running statements end too, although they are far from their end", async () => {
  const other = await openLocalStage({ flags: { ...LONG_TIME, "admin.query-engine.memory-size": "1022MiB" } });
  const answer = asked(LONG_LIKE, other);
  await until(() => evaluators(LONG_TIME_MIB - 1).length > 0);
  const pids = evaluators(LONG_TIME_MIB - 1);
  await other.close();
  expect(await answer).toEqual({ status: 503, body: expect.stringContaining("stopping") });
  await until(() => !pids.some(isRunning));
});
