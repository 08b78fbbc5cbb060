/** Plays incidents, and ends them by the instructions under each alarm in docs/operating/incidents.md. */
import { DeleteFunctionConcurrencyCommand, LambdaClient, PutFunctionConcurrencyCommand } from "@aws-sdk/client-lambda";
import { serde, type Context, type Serde } from "@restatedev/restate-sdk";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { aws, ControlPlane, pause, until } from "./control-plane.ts";
import { damageItem, endFunctionProcesses, replaceParameter } from "./damage.ts";
import { jsonLinesOf, lineOf, type FunctionName } from "./function-logs.ts";
import { sweep, wipeHints } from "./hints.ts";
import { roleOf, takeAway } from "./identities.ts";
import { operatorOf, type Operator } from "./operator.ts";
import { letterAfter, sendText, sendWakeOf, throwLettersAway, visibleLetters } from "./queue-state.ts";
import { storedItems } from "./stored-items.ts";
import { serveHandlers } from "./url-deployment.ts";

const BURST = 12;
/** Long enough that the test sees the invocation suspended. */
const NAP_MS = 6_000;
const plane = new ControlPlane(aws.plain);
const { outputs } = aws.plain;
const lambda = new LambdaClient({});
let operator: Operator;

const HANDLERS = {
  greet: async (_ctx: Context, name: string) => `hello ${name}`,
  nap: async (ctx: Context, ms: number) => {
    await ctx.sleep(ms);
    return "awake";
  },
  passOn: async (ctx: Context, name: string) => {
    ctx.genericSend({ service: "hurt", method: "greet", parameter: name, inputSerde: serde.json as Serde<unknown> });
    await ctx.sleep(1_000);
    return "passed on";
  },
};

beforeAll(async () => {
  await plane.register({ uri: await serveHandlers("hurt", HANDLERS) });
  operator = await operatorOf(aws.plain);
  // An emulator that another run started may have dead letters.
  await throwLettersAway(aws.plain);
});

// Not registered in `beforeAll`: vitest does not run a hook that a hook registers.
afterAll(() => operator.close());

/**
 * Waits for a dead letter, which a pass of the sweeper hides for a moment.
 * @returns how many are visible
 */
async function lettersSeen(): Promise<number> {
  return await until("there is a letter", async () => (await visibleLetters(aws.plain)) || undefined);
}

describe("DeadLetters", () => {
  test("a message that is no wake is logged and deleted, and becomes no letter", async () => {
    const sinceMs = Date.now();
    const send = () => sendText(aws.plain, "look here");
    await send();
    const line = await lineOf(aws.plain, "Worker", sinceMs, "message.discarded", send);
    expect(line).toMatchObject({ level: "error", reason: "it is no JSON" });
    expect(await visibleLetters(aws.plain)).toBe(0);
  });

  test("an unreadable record leaves a letter that stays visible; after a repair, a pass drives the invocation", async () => {
    const sinceMs = Date.now();
    const asDeployed = await letterAfter(aws.plain, 1);
    try {
      const id = await plane.send("hurt/nap", 3_600_000);
      await plane.untilStatus(id, "suspended");
      const [sk] = (await storedItems(aws.plain, id)).map(({ key }) => key).filter((key) => /^seg#.+#/.test(key));
      const unreadable = { b: { B: new Uint8Array([1, 2, 3]) } };
      const mend = await damageItem(aws.plain, { pk: `inv#${id}`, sk: sk! }, unreadable);
      await sendWakeOf(aws.plain, id);
      await lettersSeen();
      expect(await sweep(aws.plain)).toMatchObject({ letters: { driven: 0, paused: 0 } });
      expect(await lettersSeen()).toBe(1);
      const line = await lineOf(aws.plain, "Sweeper", sinceMs, "dead-letter.left");
      expect(line).toMatchObject({ level: "error", invocationId: id, error: expect.stringContaining(sk!) });

      await mend();
      expect(await sweep(aws.plain)).toMatchObject({ letters: { driven: 1, paused: 0 } });
      expect(await visibleLetters(aws.plain)).toBe(0);
      expect(await plane.status(id)).toBe("suspended");
      expect(await plane.change(id, "kill")).toBe(200);
    } finally {
      await asDeployed();
    }
  });

  test("an invocation that cannot be driven even alone is paused with the reason; after a repair and a resume, it ends", async () => {
    const asDeployed = await letterAfter(aws.plain, 1);
    const names: readonly FunctionName[] = ["Worker", "Sweeper"];
    const roles = await Promise.all(names.map((name) => roleOf(outputs[`${name}Function`]!)));
    const mendings = await Promise.all(roles.map((role) => takeAway(role, "sqs:SendMessage")));
    let id: string;
    const sinceMs = Date.now();
    try {
      // The handler makes a send, and this send needs the missing permission.
      id = await plane.send("hurt/passOn", "Ada");
      await lettersSeen();
      await sweep(aws.plain);
    } finally {
      await Promise.all([asDeployed(), ...mendings.map((mend) => mend())]);
    }
    await until("the pause is counted, which sets off Paused", async () =>
      (await jsonLinesOf(aws.plain, "Sweeper", sinceMs)).find((line) => "invocations_paused_total" in line),
    );
    expect(await operator.run("invocations", "list", "--status", "paused")).toContain(id);
    const described = (await operator.run("invocations", "describe", id)).replaceAll(/\s+/g, " ");
    expect(described).toMatch(/RT0006.*could not be driven, not even alone: .*sqs:SendMessage/i);
    await operator.run("invocations", "resume", id, "--yes");
    expect(await plane.result(id)).toBe("passed on");
    expect(await plane.rows(`SELECT target FROM sys_invocation WHERE invoked_by_id = '${id}'`)).toHaveLength(1);
  });
});

test("Throttles: with one worker at a time a burst still ends, and leaves no letter", async () => {
  const sinceMs = Date.now();
  const FunctionName = outputs["WorkerFunction"]!;
  await lambda.send(new PutFunctionConcurrencyCommand({ FunctionName, ReservedConcurrentExecutions: 1 }));
  try {
    const ids = await Promise.all(Array.from({ length: BURST }, (_, at) => plane.send("hurt/greet", `${at}`)));
    const results = await Promise.all(ids.map((id) => plane.result(id)));
    expect(results).toEqual(ids.map((_, at) => `hello ${at}`));
    await until("the worker has begun each", async () => {
      const lines = await jsonLinesOf(aws.plain, "Worker", sinceMs);
      const taken = new Set(lines.filter(({ event }) => event === "wake.received").map((line) => line["invocationId"]));
      return ids.every((id) => taken.has(id)) ? true : undefined;
    });
    console.log(
      `a burst of ${BURST} ended ${((Date.now() - sinceMs) / 1000).toFixed(1)} s after it began, one worker at a time`,
    );
    expect(await visibleLetters(aws.plain)).toBe(0);
  } finally {
    await lambda.send(new DeleteFunctionConcurrencyCommand({ FunctionName }));
  }
});

test("Overdue: after a lost wake, a pass measures the delay and wakes the invocation, and the next pass measures 0", async () => {
  const lostMs = Date.now();
  const id = await plane.send("hurt/nap", NAP_MS);
  await plane.untilStatus(id, "suspended");
  await wipeHints(aws.plain);
  await pause(NAP_MS);
  await sweep(aws.plain);
  const line = await lineOf(aws.plain, "Sweeper", lostMs, "sweeper.work-found");
  expect(line).toMatchObject({ level: "info", woken: expect.toSatisfy((woken: number) => woken >= 1) });
  expect(Math.max(...(await overdueSeconds(lostMs)))).toBeGreaterThan(0);
  expect(await plane.result(id)).toBe("awake");
  const overMs = Date.now();
  await sweep(aws.plain);
  expect(Math.max(...(await overdueSeconds(overMs)))).toBe(0);
});

/** Waits for values of the metric of the Overdue alarm. Passes that the EventBridge rule starts write such values too. */
async function overdueSeconds(sinceMs: number): Promise<readonly number[]> {
  return await until("the sweeper has measured", async () => {
    const lines = await jsonLinesOf(aws.plain, "Sweeper", sinceMs);
    const measured = lines.flatMap((line) => (line["oldest_overdue_seconds"] as readonly number[] | undefined) ?? []);
    return measured.length > 0 ? measured : undefined;
  });
}

test("Errors: no function starts with a replaced id secret; after it is put back, a repeated call gets the same id", async () => {
  const call = () => plane.call("hurt/greet", "Ada", { "idempotency-key": "before and after" });
  const before = await call();
  expect([before.status, before.text]).toEqual([200, '"hello Ada"']);
  const secret = `/stepwell/StepwellE2e/id-secret`;
  const putBack = await replaceParameter(secret, Buffer.alloc(32, 7).toString("base64"));
  endFunctionProcesses(aws.plain);
  try {
    const refused = await until("a process starts anew", async () => {
      const answer = await call();
      return answer.text.includes("RT0002") ? answer : undefined;
    });
    expect(refused.status).toBeGreaterThanOrEqual(500);
    expect(refused.text).toContain("put the former one back");
    await expect(sweep(aws.plain)).rejects.toThrow("RT0002");
  } finally {
    await putBack();
    endFunctionProcesses(aws.plain);
  }
  const after = await until("it starts again", async () => {
    const answer = await call();
    return answer.status === 200 ? answer : undefined;
  });
  expect(after.headers["x-restate-id"]).toBe(before.headers["x-restate-id"]);
});
