/** Tests that the end of a keyed handler becomes visible only after the write of the state of its key. */
import { describe, expect, test } from "vitest";
import { attach, output } from "../../../shared/engine/ingress/attach.ts";
import { LEASE_MS, textOf, type Actor } from "../../harness/engine/engine-fixture.ts";
import type { PortCall } from "../../harness/engine/engine-process.ts";
import { Gate } from "../../harness/engine/gate.ts";
import {
  addCount,
  callKeyed,
  getCount,
  keyed,
  objectOf,
  sendKeyed,
  workflowOf,
} from "../../harness/engine/object-stage.ts";
import { stages } from "../../harness/engine/stages.ts";

const open = stages();
const services = [objectOf(["add"], ["get"]), workflowOf(["get"])];
const handlers = { add: addCount, run: addCount, get: getCount };

/** The write after the final segment: it frees the lock, or it stores the end of a workflow's life. */
function isLastOfLock({ port, method, args }: PortCall): boolean {
  const { set } = (args[1] ?? {}) as { readonly set?: Readonly<Record<string, unknown>> };
  return port === "table" && method === "update" && (set?.["held"] === 0 || set?.["goneAtMs"] !== undefined);
}

function holdBack({ process }: Actor): Gate {
  const gate = new Gate();
  process.before = (made) => (isLastOfLock(made) ? gate.passed : undefined);
  return gate;
}

describe.each([
  ["an object's handler", "O", "add"],
  ["a workflow's run", "W", "run"],
])("the end of %s", (_what, service, handler) => {
  test.each(["the same", "another"])("becomes visible in %s process only after the state is written", async (which) => {
    const stage = await open(handlers, { services });
    const driver = stage.actor();
    const waiter = which === "another" ? stage.actor() : driver;
    const gate = holdBack(driver);
    driver.startWorker();
    const { invocationId } = await stage.pulse.within(0, sendKeyed(driver, keyed(service, "k", handler, "5")));
    await stage.pulse.settle();
    let told = false;
    const end = attach(waiter.engine, invocationId).finally(() => (told = true));
    await stage.pulse.pass(3_000);
    expect(told).toBe(false);
    expect(await output(waiter.engine, invocationId)).toEqual({ kind: "open" });
    gate.open();
    expect(await stage.pulse.within(3_000, end)).toMatchObject({ kind: "ended" });
    expect(textOf(await stage.pulse.within(0, callKeyed(waiter, keyed(service, "k", "get"))))).toBe("5");
    expect(await output(waiter.engine, invocationId)).toMatchObject({ kind: "ended" });
  });

  test("becomes visible after a crash before the write of the state, because the next driver makes the write", async () => {
    const stage = await open(handlers, { services });
    const driver = stage.actor();
    holdBack(driver);
    driver.startWorker();
    const { invocationId } = await stage.pulse.within(0, sendKeyed(driver, keyed(service, "k", handler, "5")));
    await stage.pulse.settle();
    driver.die();
    const next = stage.actor();
    next.startWorker();
    expect(await stage.pulse.within(60_000, attach(next.engine, invocationId))).toMatchObject({ kind: "ended" });
    expect(textOf(await stage.pulse.within(0, callKeyed(next, keyed(service, "k", "get"))))).toBe("5");
  });

  test("becomes visible to a caller that waits although all messages of the dead driver are lost (I8)", async () => {
    const stage = await open(handlers, { services });
    const driver = stage.actor();
    holdBack(driver);
    driver.startWorker();
    const { invocationId } = await stage.pulse.within(0, sendKeyed(driver, keyed(service, "k", handler, "5")));
    await stage.pulse.settle();
    await stage.wipeHints();
    const next = stage.actor();
    next.startWorker();
    // The lease of the dead driver still runs, so the request itself wakes nothing.
    const end = attach(next.engine, invocationId);
    expect(await stage.pulse.within(3 * LEASE_MS, end)).toMatchObject({ kind: "ended" });
    expect(textOf(await stage.pulse.within(0, callKeyed(next, keyed(service, "k", "get"))))).toBe("5");
  });
});

test("a call with a repeated idempotency key also gets the result only after the state is written", async () => {
  const stage = await open(handlers, { services });
  const driver = stage.actor();
  const gate = holdBack(driver);
  driver.startWorker();
  const add = { ...keyed("O", "k", "add", "5"), idempotencyKey: "once" };
  await stage.pulse.within(0, sendKeyed(driver, add));
  await stage.pulse.settle();
  let told = false;
  const repeated = callKeyed(stage.actor(), add).finally(() => (told = true));
  await stage.pulse.pass(3_000);
  expect(told).toBe(false);
  gate.open();
  expect(textOf(await stage.pulse.within(3_000, repeated))).toBe("5");
  expect(stage.deployment.of("add")).toHaveLength(1);
});
