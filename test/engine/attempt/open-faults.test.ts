/** Faults while an exchange is open: takeovers, lost leases, deaths at each write, violations and refusals (ADR 0008). */
import { expect, test } from "vitest";
import type { InvocationId } from "../../../shared/core/model/ids.ts";
import { attach } from "../../../shared/engine/ingress/attach.ts";
import { inspect } from "../../../shared/engine/operate/inspect.ts";
import { encodeFrame } from "../../../shared/core/protocol/frame.ts";
import type { PortCall } from "../../harness/engine/engine-process.ts";
import { callOn, LEASE_MS, sendOn, type Stage, textOf } from "../../harness/engine/engine-fixture.ts";
import { crashAfter, crashBefore } from "../../harness/engine/crash.ts";
import { completeAwakeable } from "../../../shared/engine/effects/perform.ts";
import { Gate } from "../../harness/engine/gate.ts";
import { nth, tableWrite } from "../../harness/engine/named-calls.ts";
import { answerOf, type Handler } from "../../harness/engine/script-context.ts";
import { stages } from "../../harness/engine/stages.ts";

const open = stages();
const OPEN = { opensExchanges: true };
const idIn = (stage: Stage) => stage.deployment.attempts[0]!.start.debugId as InvocationId;
const never = () => new Promise<void>(() => undefined);
const skOf = ({ args }: PortCall): string => (args[0] as { readonly sk?: string }).sk ?? "";

/** Six steps: runs, a call, a send, a sleep; each run counts its executions. */
function stepping(stage: () => Stage) {
  const executions = new Map<string, number>();
  const count = (name: string) => () => {
    executions.set(name, (executions.get(name) ?? 0) + 1);
    return name;
  };
  const steps: Handler = async (ctx) => {
    const first = await ctx.get(ctx.run("first", count("first")));
    const called = await ctx.get(ctx.call("child", "a"));
    ctx.send("sent", "b");
    const both = await ctx.all(ctx.run("left", count("left")), ctx.run("right", count("right")));
    await ctx.get(ctx.sleep(stage().pulse.nowMs() + 500));
    return [first, called, ...both].join();
  };
  const child: Handler = async (ctx) => `child ${await ctx.get(ctx.run("inner", () => ctx.input))}`;
  return { executions, handlers: { steps, child, sent: () => "" } };
}

test.each([
  ["before", crashBefore],
  ["after", crashAfter],
])(
  "a process that dies %s any write of an open exchange loses no step, and its successor ends the invocation",
  async (_, crash) => {
    let place = 0;
    for (; ; place++) {
      const { executions, handlers } = stepping(() => stage);
      const stage: Stage = await open(handlers, OPEN);
      const actor = stage.actor({ soleOwner: true });
      actor.startWorker();
      const { invocationId } = await sendOn(actor, "steps");
      const death = crash(actor, nth(place, tableWrite));
      await stage.pulse.pass(2_000);
      if (death.at === undefined) break;
      await stage.reboot();
      const next = stage.actor({ soleOwner: true });
      next.startWorker();
      const ended = await stage.pulse.within(3 * LEASE_MS, attach(next.engine, invocationId));
      expect(ended.kind === "ended" && textOf(ended), `write ${place}`).toBe("first,child a,left,right");
      expect(stage.deployment.of("sent").length, `write ${place}`).toBeGreaterThanOrEqual(1);
      for (const [name, times] of executions) expect(times, `${name} at write ${place}`).toBeLessThanOrEqual(2);
      await stage.close();
    }
    expect(place).toBeGreaterThan(8);
  },
);

test("entries that a handler sends after its driver has lost the lease are not stored", async () => {
  const gate = new Gate();
  let closures = 0;
  const stage = await open(
    {
      twice: async (ctx) => {
        const first = await ctx.get(ctx.run("first", () => "first"));
        const second = await ctx.get(
          ctx.run("second", async () => {
            const mine = ++closures;
            if (mine === 1) await gate.passed;
            return `closure ${mine}`;
          }),
        );
        return `${first}, ${second}, ${await ctx.get(ctx.run("third", () => `third after ${second}`))}`;
      },
    },
    OPEN,
  );
  const [late, other] = [stage.actor(), stage.actor()];
  // The late driver's renewals hang, so that only the fence stops it.
  late.process.before = (call) =>
    call.port === "table" && /^(put|update)$/.test(call.method) && skOf(call).startsWith("hold#") ? never() : undefined;
  const result = callOn(late, "twice");
  await stage.pulse.pass(100);
  other.startWorker();
  await stage.pulse.pass(LEASE_MS + 1_000);
  const segments = async () =>
    (await stage.stores.table.query(`inv#${idIn(stage)}`, { from: "seg#", below: "seg$" })).items;
  const before = await segments();
  expect([closures, stage.deployment.attempts.length]).toEqual([2, 2]);
  gate.open();
  await stage.pulse.settle();
  expect(stage.deployment.attempts[0]!.aborted).toBe(true);
  const expected = "first, closure 2, third after closure 2";
  expect(textOf(await stage.pulse.within(5_000, result))).toBe(expected);
  expect(await segments()).toEqual(before);
  expect(late.log.lines.map(({ event }) => event)).toContain("segment.refused");
});

test("after a takeover, a driver wakes the call that its open exchange awaits, if that call's driver has died", async () => {
  const stage = await open(
    {
      parent: async (ctx) => {
        const called = ctx.call("child", "a");
        await ctx.get(ctx.run("between", () => "done"));
        return await ctx.get(called);
      },
      child: async (ctx) => {
        if (stage.deployment.of("child").length === 1) await never();
        return `child ${ctx.input}`;
      },
    },
    OPEN,
  );
  const [driver, other] = [stage.actor(), stage.actor()];
  const { invocationId } = await sendOn(driver, "parent");
  driver.startWorker();
  await stage.pulse.pass(100);
  driver.die();
  other.startWorker();
  const ended = await stage.pulse.within(4 * LEASE_MS, attach(other.engine, invocationId));
  expect(ended.kind === "ended" && textOf(ended)).toBe("child a");
});

test("a violation during an open exchange keeps the segments before it, and is RT0012", async () => {
  let isFirst = true;
  const stage = await open(
    {
      breaks: async (ctx) => {
        const kept = await ctx.get(ctx.run("kept", () => "kept"));
        if (isFirst) {
          isFirst = false;
          ctx.frames.push(encodeFrame(0x0450, new Uint8Array(0)));
        }
        return `${kept}, ${await ctx.get(ctx.run("after", () => "after"))}`;
      },
    },
    OPEN,
  );
  const actor = stage.actor({ soleOwner: true });
  expect(textOf(await stage.pulse.within(5_000, callOn(actor, "breaks")))).toBe("kept, after");
  const [first, second] = stage.deployment.attempts;
  expect([first!.aborted, second!.commands.map(({ name }) => name)]).toEqual([true, ["Input", "Run"]]);
  expect((await inspect(actor.engine, idIn(stage)))!.events[0]).toMatchObject({ errorCode: "RT0012" });
});

test("a refused command fails the running attempt, and the entries before the command are kept", async () => {
  const stage = await open(
    {
      asks: async (ctx) => {
        await ctx.get(ctx.run("kept", () => "kept"));
        ctx.command("SetState", { key: Buffer.from("k"), value: { content: Buffer.from("v") } });
        return await ctx.get(ctx.call("child"));
      },
      child: () => "",
    },
    { ...OPEN, retry: { maxAttempts: 2, onMaxAttempts: "pause" } },
  );
  const actor = stage.actor({ soleOwner: true });
  void callOn(actor, "asks");
  await stage.pulse.pass(5_000);
  const view = (await inspect(actor.engine, idIn(stage)))!;
  expect(view).toMatchObject({ status: "paused", attempts: 2, lastFailure: { errorCode: "RT0017" } });
  expect(view.entries.map(({ type }) => type)).toEqual(["Command: Input", "Command: Run", "Notification: Run"]);
});

test("a failed attempt counts as one retry, whatever it has stored before its error", async () => {
  let failures = 0;
  const stage = await open(
    {
      stumbles: async (ctx) => {
        await ctx.get(ctx.run("kept", () => "kept"));
        if (++failures <= 2) throw new Error("stumbled");
        return "done";
      },
    },
    { ...OPEN, retry: { maxAttempts: 3, onMaxAttempts: "pause" } },
  );
  const actor = stage.actor({ soleOwner: true });
  expect(textOf(await stage.pulse.within(20_000, callOn(actor, "stumbles")))).toBe("done");
  expect(stage.deployment.attempts.map(({ start }) => start.retryCountSinceLastStoredEntry)).toEqual([0, 1, 2]);
});

test("a store that fails during an open exchange ends the exchange, and the message comes again", async () => {
  const stage = await open(
    {
      two: async (ctx) => {
        await ctx.get(ctx.run("one", () => "one"));
        return await ctx.get(ctx.run("two", () => "two"));
      },
    },
    OPEN,
  );
  const actor = stage.actor({ soleOwner: true });
  const fails = nth(1, (call) => call.port === "table" && call.method === "put" && /^seg#.+#/.test(skOf(call)));
  actor.process.before = (call) => (fails(call) ? Promise.reject(new Error("the disk is full")) : undefined);
  actor.startWorker();
  const { invocationId } = await sendOn(actor, "two");
  const ended = await stage.pulse.within(60_000, attach(actor.engine, invocationId));
  expect(ended.kind === "ended" && textOf(ended)).toBe("two");
  expect(stage.deployment.attempts[0]!.aborted).toBe(true);
});

test("the lease of a driver is renewed while its exchange waits", async () => {
  const gate = new Gate();
  const stage = await open(
    {
      long: async (ctx) => {
        await ctx.get(ctx.run("first", () => "first"));
        return await ctx.get(ctx.run("second", async () => (await gate.passed, "second")));
      },
    },
    OPEN,
  );
  const [driver, other] = [stage.actor(), stage.actor()];
  const result = callOn(driver, "long");
  other.startWorker();
  await stage.pulse.pass(4 * LEASE_MS);
  gate.open();
  expect(textOf(await stage.pulse.within(1_000, result))).toBe("second");
  expect(stage.deployment.attempts).toHaveLength(1);
});

test("a handler that suspends without having read what its open exchange carried is attempted again at once", async () => {
  const gate = new Gate();
  const awakeables: string[] = [];
  const waits: Handler = async (ctx) => {
    const { id, result } = ctx.awakeable();
    awakeables.push(id);
    return await ctx.get(result);
  };
  const stage: Stage = await open({ waits }, OPEN);
  stage.deployment.instead = async (attempt) => {
    const body = await answerOf(waits, attempt);
    const isFirst = stage.deployment.attempts.length === 1;
    return {
      pieces: (async function* () {
        if (isFirst) await gate.passed;
        yield body;
      })() as AsyncGenerator<Uint8Array, undefined>,
    };
  };
  const actor = stage.actor({ soleOwner: true });
  actor.startWorker();
  const { invocationId } = await sendOn(actor, "waits");
  await stage.pulse.pass(500);
  const hello = { kind: "success" as const, value: Buffer.from("hello") };
  await stage.pulse.within(1_000, completeAwakeable(actor.engine, awakeables[0]!, hello));
  await stage.pulse.pass(500);
  gate.open();
  const ended = await stage.pulse.within(1_000, attach(actor.engine, invocationId));
  expect(ended.kind === "ended" && textOf(ended)).toBe("hello");
  expect(stage.deployment.attempts.map(({ isOpen }) => isOpen)).toEqual([true, true]);
});
