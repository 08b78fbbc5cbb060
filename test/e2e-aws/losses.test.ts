/**
 * Losses that functions must survive: a process killed in an attempt, a freeze between events, all messages and schedules lost.
 */
import { beforeAll, expect, test } from "vitest";
import { serde, type Context, type Serde } from "@restatedev/restate-sdk";
import { aws, ControlPlane, pause, until } from "./control-plane.ts";
import { functionNames, processesOf, signal } from "./function-processes.ts";
import { schedules, sweep, wipeHints } from "./hints.ts";
import { serveHandlers } from "./url-deployment.ts";

const LEASE_MS = 3_000;
/**
 * The worker sets the visibility timeout of its message to 1.25 leases, in whole seconds. So the message of a killed worker comes
 * again soon after the lease, and not only after the queue's own visibility timeout, which is the timeout of the function. The
 * test makes a send with this delay right after the kill. If the message of the killed worker came only after the queue's own
 * timeout, the message of this send would come before it, and the test would fail.
 */
const BEHIND_MS = 10_000;

const plane = new ControlPlane(aws.plain);
const ran: string[] = [];
const hangs: { readonly name: string; readonly atMs: number }[] = [];

const HANDLERS = {
  step: async (ctx: Context, name: string) => {
    await ctx.run("step", () => void ran.push(name));
    return name;
  },
  /** Hangs in its first attempt, after a committed step. */
  hang: async (ctx: Context, name: string) => {
    await ctx.run("before", () => void ran.push(`${name} before`));
    await ctx.sleep(1);
    const attempt = hangs.filter((hang) => hang.name === name).length;
    hangs.push({ name, atMs: Date.now() });
    await ctx.run("after", async () => {
      if (attempt === 0) await pause(60_000);
      ran.push(`${name} after`);
    });
    return name;
  },
  nap: async (ctx: Context, ms: number) => {
    await ctx.sleep(ms);
    return "awake";
  },
  /** Waits for a child that sleeps. */
  waits: async (ctx: Context, ms: number): Promise<string> => {
    const json = serde.json as Serde<unknown>;
    const call = { service: "lossy", method: "nap", parameter: ms, inputSerde: json, outputSerde: json };
    return `child ${String(await ctx.genericCall(call))}`;
  },
};

beforeAll(async () => {
  await plane.register({ uri: await serveHandlers("lossy", HANDLERS) });
});

test("a killed worker's attempt is repeated soon after its lease, and its committed step ran once", async () => {
  const id = await plane.send("lossy/hang", "victim");
  const first = await until("the attempt hangs", async () => hangs[0]);
  expect(first.name).toBe("victim");
  await pause(LEASE_MS);
  const workers = processesOf([aws.plain.outputs["WorkerFunction"]!]);
  expect(workers.length).toBeGreaterThan(0);
  const killedAtMs = Date.now();
  signal(workers, "SIGKILL");
  // The test compares the order, not the time, because a slow start of a process delays both messages alike.
  const behind = await plane.send("lossy/step", "behind", `?delay=${BEHIND_MS}ms`);
  const second = await until("another attempt", async () => hangs[1]);
  const tookMs = second.atMs - killedAtMs;
  console.log(`taken over ${(tookMs / 1000).toFixed(1)} s after the kill, the lease being ${LEASE_MS / 1000} s`);
  expect(await plane.result(id)).toBe("victim");
  expect(await plane.result(behind)).toBe("behind");
  expect(ran.indexOf("victim after")).toBeLessThan(ran.indexOf("behind"));
  expect(ran.filter((step) => step.startsWith("victim"))).toEqual(["victim before", "victim after"]);
});

test("functions that are stopped and continued between events, as AWS freezes them, give the same results", async () => {
  for (const frozenMs of [500, 6_000, 12_000]) {
    const name = `frozen ${frozenMs}`;
    await plane.call("lossy/step", `warm ${frozenMs}`);
    const sent = await plane.send("lossy/step", `sent ${frozenMs}`);
    await plane.result(sent);
    await pause(300);
    const pids = processesOf(functionNames(aws.plain));
    expect(pids.length).toBeGreaterThan(0);
    signal(pids, "SIGSTOP");
    await pause(frozenMs);
    signal(pids, "SIGCONT");
    const { status, text } = await plane.call("lossy/step", name);
    expect([status, text]).toEqual([200, JSON.stringify(name)]);
    const id = await plane.send("lossy/step", `${name} sent`);
    expect(await plane.result(id)).toBe(`${name} sent`);
    expect(ran.filter((step) => step === name || step === `${name} sent`)).toEqual([name, `${name} sent`]);
  }
});

test("with every message and schedule lost, and the table kept, every open invocation ends", async () => {
  // On a busy machine the statements below take many seconds, and the schedules have to exist until the loss.
  const ids = await Promise.all([
    plane.send("lossy/nap", 30_000),
    plane.send("lossy/nap", 34_000),
    plane.send("lossy/waits", 32_000),
    plane.send("lossy/step", "delayed", "?delay=32s"),
  ]);
  const [child] = await until("its call is listed", async () => {
    const rows = await plane.rows<{ readonly id: string }>(
      `SELECT id FROM sys_invocation WHERE invoked_by_id = '${ids[2]}'`,
    );
    return rows.length > 0 ? rows : undefined;
  });
  await Promise.all([...ids.slice(0, 3), child!.id].map((id) => plane.untilStatus(id, "suspended")));
  expect((await schedules(aws.plain)).length).toBeGreaterThan(0);
  await wipeHints(aws.plain);
  // This invocation is accepted, and then its only message is lost.
  const orphan = await plane.send("lossy/nap", 3_000);
  await wipeHints(aws.plain);
  expect(await schedules(aws.plain)).toEqual([]);

  const all = [...ids, orphan];
  const startedMs = Date.now();
  await sweep(aws.plain, { everything: true });
  await until("all have ended", async () => {
    await sweep(aws.plain);
    await pause(1_000);
    const statuses = await Promise.all(all.map((id) => plane.status(id)));
    return statuses.every((status) => status === "completed") ? true : undefined;
  });
  console.log(`${all.length} open invocations ended ${((Date.now() - startedMs) / 1000).toFixed(1)} s after the loss`);
  expect(await Promise.all(all.map((id) => plane.result(id)))).toEqual([
    "awake",
    "awake",
    "child awake",
    "delayed",
    "awake",
  ]);
  expect(ran.filter((step) => step === "delayed")).toHaveLength(1);
});
