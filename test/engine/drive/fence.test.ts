/** The fence of segments (I1), and the effects that a killer performs (I2). */
import { expect, test } from "vitest";
import { attach } from "../../../shared/engine/ingress/attach.ts";
import { kill } from "../../../shared/engine/recover/kill.ts";
import type { InvocationId } from "../../../shared/core/model/ids.ts";
import { callOn, LEASE_MS, textOf } from "../../harness/engine/engine-fixture.ts";
import type { PortCall } from "../../harness/engine/engine-process.ts";
import { Gate } from "../../harness/engine/gate.ts";
import { stages } from "../../harness/engine/stages.ts";
import { crashBefore } from "../../harness/engine/crash.ts";
import { acceptanceOf } from "../../harness/engine/named-calls.ts";

const open = stages();

const never = () => new Promise<void>(() => undefined);
const skOf = ({ args }: PortCall): string => (args[0] as { readonly sk?: string }).sk ?? "";
const isWriteOf = (call: PortCall, sk: RegExp): boolean =>
  call.port === "table" && /^(put|update)$/.test(call.method) && sk.test(skOf(call));

test("a late segment does not replace the segment of another driver, and the late driver stops", async () => {
  const [gate, thaw] = [new Gate(), new Gate()];
  let closures = 0;
  const stage = await open({
    once: async (ctx) =>
      await ctx.get(
        ctx.run("count", async () => {
          const mine = ++closures;
          if (mine === 1) await gate.passed;
          return `closure ${mine}`;
        }),
      ),
  });
  const [late, other] = [stage.actor(), stage.actor()];
  // The late driver's renewals hang, so that only the fence stops it.
  late.process.before = (call) => {
    if (isWriteOf(call, /^hold#/)) return never();
    return isWriteOf(call, /^seg#.+#000001$/) ? thaw.passed : undefined;
  };
  const result = callOn(late, "once");
  await stage.pulse.pass(100);
  other.startWorker();
  await stage.pulse.pass(LEASE_MS + 1_000);
  gate.open();
  await stage.pulse.settle();
  const id = stage.deployment.attempts[0]!.start.debugId as InvocationId;
  const segments = async () => (await stage.stores.table.query(`inv#${id}`, { from: "seg#", below: "seg$" })).items;
  const before = await segments();
  expect([closures, before.length]).toEqual([2, 3]);
  thaw.open();
  expect(textOf(await stage.pulse.within(5_000, result))).toBe("closure 2");
  expect(await segments()).toEqual(before);
  expect(late.log.lines.map(({ event }) => event)).toContain("segment.refused");
});

test("a killer performs the effects that the last segment of a dead driver asked for", async () => {
  const stage = await open({
    parent: async (ctx) => {
      ctx.send("child", "a");
      return await ctx.get(ctx.run("after", () => "done"));
    },
    child: (ctx) => ctx.input,
  });
  const [driver, killer] = [stage.actor(), stage.actor()];
  crashBefore(driver, acceptanceOf("child"));
  void callOn(driver, "parent");
  await stage.pulse.pass(100);
  const id = stage.deployment.of("parent")[0]!.start.debugId as InvocationId;
  expect(await stage.pulse.within(1_000, kill(killer.engine, id))).toBe("done");
  const end = await stage.pulse.within(1_000, attach(killer.engine, id));
  expect(end.kind === "ended" && textOf(end)).toBe("409 killed");
  killer.startWorker();
  await stage.pulse.pass(1_000);
  expect(stage.deployment.of("child").map(({ input }) => input)).toEqual(["a"]);
});
