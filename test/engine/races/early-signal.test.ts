/** The first attempt overlaps the put of its acceptance: an id that it tells to others is known before the table knows it. */
import { expect, test } from "vitest";
import { encodeAwakeableId } from "../../../shared/core/protocol/awakeable-id.ts";
import { attach } from "../../../shared/engine/desk/attach.ts";
import type { InvocationId } from "../../../shared/core/model/ids.ts";
import { completeAwakeable } from "../../../shared/engine/drive/perform.ts";
import { callOn, textOf } from "../engine-fixture.ts";
import { Gate } from "../gate.ts";
import { stages } from "../stages.ts";

const open = stages();
const DONE = { kind: "success", value: new TextEncoder().encode("early") } as const;

/** A call whose acceptance is held up while its handler has handed out what names it. */
async function heldUp(soleOwner: boolean) {
  const stage = await open({ waits: async (ctx) => `got ${await ctx.get(ctx.awakeable().result)}` });
  const [driver, other] = [stage.actor({ soleOwner }), stage.actor({ soleOwner })];
  const gate = new Gate();
  let first = true;
  driver.process.before = ({ port, method }) => {
    if (!first || port !== "table" || method !== "put") return undefined;
    first = false;
    return gate.passed;
  };
  driver.startWorker();
  const result = callOn(driver, "waits");
  await stage.pulse.settle();
  const { id, debugId } = stage.deployment.attempts[0]!.start;
  const awakeable = encodeAwakeableId(id, 17);
  return { stage, driver, other, gate, result, awakeable, invocationId: debugId as InvocationId };
}

test("an awakeable that is resolved before the acceptance is durable is not lost", async () => {
  const { stage, driver, gate, result, awakeable } = await heldUp(true);
  const resolved = completeAwakeable(driver.engine, awakeable, DONE);
  await stage.pulse.settle();
  gate.open();
  await stage.pulse.within(1_000, resolved);
  expect(textOf(await stage.pulse.within(1_000, result))).toBe("got early");
});

test("nor is one that another process resolves, which cannot know of the acceptance", async () => {
  const { stage, other, gate, result, awakeable } = await heldUp(false);
  const resolved = completeAwakeable(other.engine, awakeable, DONE);
  await stage.pulse.pass(50);
  gate.open();
  await stage.pulse.within(1_000, resolved);
  expect(textOf(await stage.pulse.within(1_000, result))).toBe("got early");
});

test("who attaches by an id that was told early waits for its end", async () => {
  const { stage, driver, gate, result, awakeable, invocationId } = await heldUp(true);
  const attached = attach(driver.engine, invocationId);
  await stage.pulse.settle();
  gate.open();
  await stage.pulse.settle();
  await completeAwakeable(driver.engine, awakeable, DONE);
  await stage.pulse.within(1_000, result);
  const end = await stage.pulse.within(3_000, attached);
  expect(end.kind === "ended" && textOf(end)).toBe("got early");
});
