/** An invocation that attaches writes its sink before it wakes the other invocation (I3). */
import { expect, test } from "vitest";
import type { Item } from "../../../shared/engine/ports/table.ts";
import { callOn, LEASE_MS, sendOn, textOf } from "../../harness/engine/engine-fixture.ts";
import { Gate } from "../../harness/engine/gate.ts";
import type { Handler } from "../../harness/engine/script-context.ts";
import { stages } from "../../harness/engine/stages.ts";

const open = stages();
const idempotencyKey = "once";

/**
 * Each handler also calls `endless`, and its driver drives that call along, so it does not park the handler's invocation.
 * Before a park the driver would wake the target once more, and that message would hide a wake that came before the sink.
 */
const HANDLERS: readonly (readonly [string, Handler])[] = [
  ["an attach", async (ctx) => await ctx.race(ctx.attach(ctx.input), ctx.call("endless"))],
  [
    "a call under a key in use",
    async (ctx) => await ctx.race(ctx.call("target", "", { idempotencyKey }), ctx.call("endless")),
  ],
];

test.each(HANDLERS)(
  "%s gets the result of an invocation that ends while the sink is being written",
  async (_, attaches) => {
    const [end, written] = [new Gate(), new Gate()];
    const stage = await open({
      target: async () => (await end.passed, "done"),
      endless: async () => await new Promise<string>(() => undefined),
      attaches,
    });
    const actor = stage.actor();
    actor.startWorker();
    const { invocationId } = await sendOn(actor, "target", "", { idempotencyKey });
    await stage.pulse.settle();
    let sinks = 0;
    actor.process.before = ({ port, method, args }) => {
      if (port !== "table" || method !== "put" || !(args[0] as Item).sk.startsWith("sink#")) return undefined;
      sinks++;
      return written.passed;
    };
    const result = callOn(actor, "attaches", invocationId);
    await stage.pulse.settle();
    expect(sinks).toBe(1);
    end.open();
    // By now, the worker has acked every message to the target that was sent before the write of the sink.
    await stage.pulse.pass(2 * LEASE_MS);
    written.open();
    expect(textOf(await stage.pulse.within(1_000, result))).toBe("done");
  },
);
