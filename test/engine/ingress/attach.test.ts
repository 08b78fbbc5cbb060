/** Attaching to an invocation, and reading its output, from outside and from a handler. */
import { expect, test } from "vitest";
import type { InvocationId } from "../../../shared/core/model/ids.ts";
import { attach, output } from "../../../shared/engine/ingress/attach.ts";
import { freshId } from "../../../shared/engine/accept/invocation-ids.ts";
import { callOn, sendOn, textOf } from "../../harness/engine/engine-fixture.ts";
import { Gate } from "../../harness/engine/gate.ts";
import { TerminalError } from "../../harness/engine/script-awaits.ts";
import type { Handler } from "../../harness/engine/script-context.ts";
import { stages } from "../../harness/engine/stages.ts";

const open = stages();
/** For so long a lookup looks for an acceptance that another process may be writing. */
const UNDER_WAY_MAX_MS = 520;

const caught: Handler = async (ctx) => {
  const [how, id] = ctx.input.split(" ") as ["attach" | "output", string];
  try {
    return `got '${await ctx.get(ctx[how](id))}'`;
  } catch (error) {
    if (!(error instanceof TerminalError)) throw error;
    return `failed ${error.code} ${error.message}`;
  }
};

async function play() {
  const gate = new Gate();
  const stage = await open({
    caught,
    slow: async () => {
      await gate.passed;
      return "slow";
    },
    fails: () => {
      throw new TerminalError(418, "teapot");
    },
  });
  const [driver, other] = [stage.actor(), stage.actor()];
  driver.startWorker();
  other.startWorker();
  const { invocationId } = await sendOn(driver, "slow");
  await stage.pulse.pass(100);
  return { stage, driver, other, gate, invocationId };
}

test("an attach to an invocation that another process drives gets the result at its end", async () => {
  const { stage, other, gate, invocationId } = await play();
  expect(await output(other.engine, invocationId)).toEqual({ kind: "open" });
  const attached = attach(other.engine, invocationId);
  await stage.pulse.pass(10_000);
  gate.open();
  const end = await stage.pulse.within(3_000, attached);
  expect(end.kind === "ended" && textOf(end)).toBe("slow");
});

test("an attach to a completed invocation gets the result at once, with the moment at which the result expires", async () => {
  const { stage, other, gate, invocationId } = await play();
  gate.open();
  await stage.pulse.settle();
  const endedAtMs = stage.pulse.nowMs();
  await stage.pulse.pass(5_000);
  const expected = { kind: "ended", invocationId, expiresAtMs: endedAtMs + 86_400_000 };
  expect(await stage.pulse.within(0, attach(other.engine, invocationId))).toMatchObject(expected);
  expect(await stage.pulse.within(0, output(other.engine, invocationId))).toMatchObject(expected);
});

test("an attach to an id without an invocation is answered unknown", async () => {
  const { stage, other } = await play();
  const nobody = freshId(other.engine);
  expect(await stage.pulse.within(1_000, attach(other.engine, nobody))).toEqual({ kind: "unknown" });
  expect(await stage.pulse.within(1_000, output(other.engine, nobody))).toEqual({ kind: "unknown" });
});

test("a caller that disconnects ends its wait and not the invocation", async () => {
  const { stage, other, gate, invocationId } = await play();
  const leaving = new AbortController();
  const attached = attach(other.engine, invocationId, leaving.signal);
  await stage.pulse.pass(1_000);
  leaving.abort(new Error("gone"));
  await expect(stage.pulse.within(0, attached)).rejects.toThrow("gone");
  gate.open();
  await stage.pulse.settle();
  expect(await output(other.engine, invocationId)).toMatchObject({ kind: "ended" });
});

test("a handler attaches to a running, a completed and an unknown invocation", async () => {
  const { stage, other, gate, invocationId } = await play();
  const early = callOn(other, "caught", `attach ${invocationId}`);
  await stage.pulse.pass(5_000);
  gate.open();
  expect(textOf(await stage.pulse.within(15_000, early))).toBe("got 'slow'");
  const late = callOn(other, "caught", `attach ${invocationId}`);
  expect(textOf(await stage.pulse.within(0, late))).toBe("got 'slow'");
  const nothing = callOn(other, "caught", `attach ${freshId(other.engine)}`);
  expect(textOf(await stage.pulse.within(UNDER_WAY_MAX_MS, nothing))).toBe("failed 404 not found");
});

test("a handler reads the output of a running, a completed and an unknown invocation", async () => {
  const { stage, other, gate, invocationId } = await play();
  const early = callOn(other, "caught", `output ${invocationId}`);
  expect(textOf(await stage.pulse.within(0, early))).toBe("got ''");
  gate.open();
  await stage.pulse.settle();
  const late = callOn(other, "caught", `output ${invocationId}`);
  expect(textOf(await stage.pulse.within(0, late))).toBe("got 'slow'");
  const nothing = callOn(other, "caught", `output ${freshId(other.engine)}`);
  expect(textOf(await stage.pulse.within(UNDER_WAY_MAX_MS, nothing))).toBe("failed 404 not found");
});

test("a handler that attaches to a failed invocation gets that failure thrown", async () => {
  const { stage, other } = await play();
  const { invocationId } = await sendOn(other, "fails");
  await stage.pulse.settle();
  const attached = callOn(other, "caught", `attach ${invocationId}`);
  expect(textOf(await stage.pulse.within(0, attached))).toBe("failed 418 teapot");
});

test("an id that does not parse fails the attempt, and the failure contains the id", async () => {
  const { stage, other } = await play();
  void callOn(other, "caught", "attach nonsense").catch(() => undefined);
  await stage.pulse.pass(10);
  const line = other.log.lines.find(({ fields }) => fields["errorCode"] === "RT0017");
  expect(line?.fields["reason"]).toContain("nonsense");
  expect(stage.deployment.of("caught")[0]?.start.debugId as InvocationId).toMatch(/^inv_1/);
});
