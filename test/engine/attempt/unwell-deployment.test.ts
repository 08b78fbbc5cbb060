/** Deployments that fail: bad answers, silence, slow bytes, and a broken protocol. */
import { expect, test } from "vitest";
import type { InvocationId } from "../../../shared/core/model/ids.ts";
import { deployment, service } from "../../core/registry/sample-deployment.ts";
import { COMMANDS } from "../../../shared/core/protocol/commands.ts";
import { encodeFrame, messageFrame } from "../../../shared/core/protocol/frame.ts";
import { inspect } from "../../../shared/engine/operate/inspect.ts";
import { TransportError } from "../../../shared/engine/ports/endpoints.ts";
import { registryPk, writeDeployment } from "../../../shared/engine/register/registry-items.ts";
import { callOn, sendOn, type Stage, textOf } from "../../harness/engine/engine-fixture.ts";
import type { Reply, ScriptedAttempt } from "../../harness/engine/scripted-deployment.ts";
import { stages } from "../../harness/engine/stages.ts";

const open = stages();
const idIn = (stage: Stage, handler: string) => stage.deployment.of(handler)[0]!.start.debugId as InvocationId;
const forever = <T>() => new Promise<T>(() => undefined);

/** The first attempt gets this reply; the later ones reach the handler. */
const once =
  (reply: () => Reply | Promise<Reply>) =>
  ({ start }: ScriptedAttempt): Reply | Promise<Reply> | undefined =>
    start.retryCountSinceLastStoredEntry === 0 && met++ === 0 ? reply() : undefined;
let met = 0;

async function firstMeets(reply: (stage: Stage) => Reply | Promise<Reply>) {
  met = 0;
  const stage = await open({ greet: () => "hello" }, { retry: { initialIntervalMs: 500 }, abortTimeoutMs: 120_000 });
  stage.deployment.instead = once(() => reply(stage));
  const actor = stage.actor();
  const result = callOn(actor, "greet");
  await stage.pulse.settle();
  return { stage, actor, result };
}

/** @returns an Output of 100,000 bytes, and its End */
function largeAnswer(): { raw: Uint8Array; end: Uint8Array } {
  const raw = messageFrame(0x0401, COMMANDS.Output.type, { value: { content: new Uint8Array(100_000).fill(0x78) } });
  return { raw, end: encodeFrame(0x0003, new Uint8Array(0)) };
}

const FAULTS: readonly (readonly [what: string, errorCode: string, reply: () => Reply | Promise<Reply>])[] = [
  ["cannot be reached", "RT0010", () => Promise.reject(new TransportError("unreachable", "connection refused"))],
  ["has no room", "RT0023", () => Promise.reject(new TransportError("throttled", "429"))],
  ["answers 502", "RT0010", () => ({ status: 502 })],
  ["answers 415", "RT0015", () => ({ status: 415 })],
  ["answers 413", "RT0019", () => ({ status: 413 })],
  ["answers 429", "RT0023", () => ({ status: 429 })],
  ["answers in another content type", "RT0012", () => ({ headers: { "content-type": "text/html" } })],
  ["stops in the middle", "RT0010", () => ({ body: new Uint8Array([4, 1, 0]) })],
  ["says nothing at all", "RT0010", () => ({})],
  ["ends without an output", "RT0012", () => ({ body: encodeFrame(0x0003, new Uint8Array(0)) })],
  ["sends a notification", "RT0012", () => ({ body: encodeFrame(0x800c, new Uint8Array(0)) })],
  ["sends an unknown command", "RT0012", () => ({ body: encodeFrame(0x0450, new Uint8Array(0)) })],
  ["sends a message that is too large", "RT0003", () => ({ body: encodeFrame(0x0401, new Uint8Array(2 << 20)) })],
];

test.each(FAULTS)(
  "a deployment that %s fails the attempt with %s, and the next attempt succeeds",
  async (_, errorCode, reply) => {
    const { stage, actor, result } = await firstMeets(reply);
    const view = await inspect(actor.engine, idIn(stage, "greet"));
    expect(view).toMatchObject({ status: "backing-off", lastFailure: { errorCode } });
    expect(view!.events).toMatchObject([{ errorCode }]);
    expect(textOf(await stage.pulse.within(5_000, result))).toBe("hello");
  },
);

test("a deployment whose transport cannot carry the journal is not tried again: the invocation is paused with the reason", async () => {
  const { stage, actor } = await firstMeets(() => Promise.reject(new TransportError("too-large", "more than 6 MB")));
  await stage.pulse.pass(600_000);
  expect(stage.deployment.attempts).toHaveLength(1);
  expect(await inspect(actor.engine, idIn(stage, "greet"))).toMatchObject({
    status: "paused",
    lastFailure: { errorCode: "RT0019", message: "more than 6 MB" },
  });
});

test("retry-after sets the delay of the next attempt", async () => {
  const { stage, result } = await firstMeets(() => ({ status: 503, headers: { "retry-after": "1" } }));
  const refusedAtMs = stage.pulse.nowMs();
  await stage.pulse.within(5_000, result);
  expect(stage.pulse.nowMs() - refusedAtMs).toBe(1_000);
});

test("an exchange with a deployment that never answers is aborted after the abort timeout, and tried again", async () => {
  const { stage, actor, result } = await firstMeets(forever);
  await stage.pulse.pass(119_000);
  expect(stage.deployment.attempts).toHaveLength(1);
  expect(stage.deployment.attempts[0]!.aborted).toBe(false);
  expect(textOf(await stage.pulse.within(3_000, result))).toBe("hello");
  expect(stage.deployment.attempts[0]!.aborted).toBe(true);
  const [event] = (await inspect(actor.engine, idIn(stage, "greet")))!.events;
  expect(event).toMatchObject({ errorCode: "RT0001", message: expect.stringContaining("120s") });
});

test("an exchange that brings a byte each half second, and no message, is aborted after the abort timeout", async () => {
  const message = encodeFrame(0x0401, new Uint8Array(10_000));
  async function* slowly({ pulse }: Stage): AsyncGenerator<Uint8Array, undefined> {
    for (const byte of message) {
      yield Uint8Array.of(byte);
      await pulse.sleep(500);
    }
    return undefined;
  }
  const { stage, result } = await firstMeets((on) => ({ pieces: slowly(on) }));
  await stage.pulse.pass(119_000);
  expect(stage.deployment.attempts).toHaveLength(1);
  expect(textOf(await stage.pulse.within(3_000, result))).toBe("hello");
  expect(stage.deployment.attempts[0]!.aborted).toBe(true);
});

test("a large message that comes slowly but steadily is awaited", async () => {
  const { raw, end } = largeAnswer();
  async function* slowly({ pulse }: Stage): AsyncGenerator<Uint8Array, undefined> {
    for (let at = 0; at < raw.length; at += 20_000) {
      yield raw.subarray(at, at + 20_000);
      await pulse.sleep(60_000);
    }
    yield end;
    return undefined;
  }
  const { stage, result } = await firstMeets((on) => ({ pieces: slowly(on) }));
  expect(textOf(await stage.pulse.within(600_000, result))).toHaveLength(100_000);
  expect(stage.deployment.attempts).toHaveLength(1);
});

test("a deployment that took the attempt and sends nothing is shown as silent, in every process", async () => {
  const { stage, actor } = await firstMeets(forever);
  const startedAtMs = stage.pulse.nowMs();
  const other = stage.actor();
  const silence = async ({ engine }: typeof actor) => (await inspect(engine, idIn(stage, "greet")))!.silentSinceMs;
  await stage.pulse.pass(59_000);
  expect([await silence(actor), await silence(other)]).toEqual([undefined, undefined]);
  await stage.pulse.pass(2_000);
  expect([await silence(actor), await silence(other)]).toEqual([startedAtMs, startedAtMs]);
  expect(actor.log.lines.filter(({ level }) => level === "warn")).toHaveLength(1);
  await stage.pulse.pass(70_000);
  expect([await silence(actor), await silence(other)]).toEqual([undefined, undefined]);
});

test("a deployment that is gone fails each attempt with RT0011 until it is back", async () => {
  const stage = await open(
    { waits: (ctx) => ctx.get(ctx.run("one", () => "done")) },
    { retry: { initialIntervalMs: 500 } },
  );
  const [actor] = [stage.actor()];
  stage.deployment.instead = () => (stage.deployment.attempts.length === 2 ? { status: 502 } : undefined);
  const result = callOn(actor, "waits");
  await stage.pulse.settle();
  const { id } = deployment(1, []);
  const pk = registryPk("");
  await stage.stores.meta.transact([
    { kind: "delete", key: { pk, sk: `dep#${id}` } },
    { kind: "put", item: { pk, sk: "head", version: 2 } },
  ]);
  actor.engine.registry.refresh();
  await stage.pulse.pass(10_000);
  expect(stage.deployment.attempts).toHaveLength(2);
  const view = await inspect(actor.engine, idIn(stage, "waits"));
  expect(view).toMatchObject({ pinnedDeploymentId: id, lastFailure: { errorCode: "RT0011" } });
  await writeDeployment(stage.stores.meta, "", deployment(1, [service("S", ["waits"])]), 2);
  actor.startWorker();
  expect(textOf(await stage.pulse.within(20_000, result))).toBe("done");
});

test("a deployment that breaks the protocol for one invocation does not disturb others", async () => {
  const stage = await open({ greet: (ctx) => `hello ${ctx.input}` });
  stage.deployment.instead = ({ input }) =>
    input === "bad" ? { body: encodeFrame(0x0450, new Uint8Array(0)) } : undefined;
  const actor = stage.actor();
  actor.startWorker();
  const bad = await sendOn(actor, "greet", "bad");
  for (const name of ["a", "b"]) {
    expect(textOf(await stage.pulse.within(100, callOn(actor, "greet", name)))).toBe(`hello ${name}`);
    await stage.pulse.pass(5_000);
  }
  expect((await inspect(actor.engine, bad.invocationId))!.lastFailure).toMatchObject({ errorCode: "RT0012" });
  expect(actor.log.lines.filter(({ level }) => level === "error")).toEqual([]);
});
