/** A driver that takes a free key for an invocation that has been killed meanwhile, and then loses the fence (I6, I11). */
import { expect, test } from "vitest";
import { kill } from "../../../shared/engine/recover/kill.ts";
import type { InvocationId } from "../../../shared/core/model/ids.ts";
import type { Key } from "../../../shared/engine/ports/table.ts";
import { LEASE_MS, textOf } from "../../harness/engine/engine-fixture.ts";
import type { PortCall } from "../../harness/engine/engine-process.ts";
import { Gate } from "../../harness/engine/gate.ts";
import { addCount, callKeyed, keyed, objectOf } from "../../harness/engine/object-stage.ts";
import { stages } from "../../harness/engine/stages.ts";

const open = stages();

const writesLock = ({ port, method, args }: PortCall): boolean =>
  port === "table" && method === "update" && (args[0] as Key).sk === "lock";

test.each([
  ["that handles a message loads the invocation again before it acks the message", true],
  ["that handles a request sends a wake for the invocation", false],
])(
  "a key that a driver took for an already killed invocation becomes free: when the fence refuses its segment, the driver %s",
  async (_, byMessage) => {
    const taking = new Gate();
    const stage = await open({ add: addCount }, { services: [objectOf(["add"])] });
    const [ingress, worker, other] = [stage.actor(), stage.actor(), stage.actor()];
    const driver = byMessage ? worker : ingress;
    let id: InvocationId | undefined;
    let takes = 0;
    const take = (call: PortCall) => (writesLock(call) && takes++ === 0 ? taking.passed : undefined);
    if (byMessage) worker.process.before = take;
    ingress.process.before = (call) => {
      if (call.port === "table" && call.method === "put")
        id ??= (call.args[0] as Key).pk.replace("inv#", "") as InvocationId;
      if (!byMessage) return take(call);
      if (!writesLock(call)) return undefined;
      ingress.die();
      return new Promise(() => undefined);
    };
    void callKeyed(ingress, keyed("O", "k", "add", "1")).catch(() => undefined);
    if (byMessage) worker.startWorker();
    await stage.pulse.pass(byMessage ? LEASE_MS + 1_000 : 100);
    expect([takes, driver.engine.activeInvocations.size]).toEqual([1, 1]);
    other.startWorker();
    expect(await stage.pulse.within(1_000, kill(other.engine, id!))).toBe("done");
    await stage.pulse.pass(2_000);
    taking.open();
    await stage.pulse.pass(100);
    expect(textOf(await stage.pulse.within(1_000, callKeyed(other, keyed("O", "k", "add", "10"))))).toBe("10");
  },
);
