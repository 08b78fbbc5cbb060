/** Commands with fields of a later protocol version: they are stored and replayed byte for byte (I9). */
import { expect, test } from "vitest";
import { encodeFrame, framesOf } from "../../../shared/core/protocol/frame.ts";
import { CONTROL } from "../../../shared/core/protocol/control-messages.ts";
import { callOn, textOf } from "../../harness/engine/engine-fixture.ts";
import { answerOf, type Handler } from "../../harness/engine/script-context.ts";
import { stages } from "../../harness/engine/stages.ts";

const open = stages();
/** Field 1999 with two bytes. Its length is encoded in more bytes than any encoder would write. */
const UNKNOWN = Uint8Array.of(0xfa, 0x7c, 0x82, 0x00, 0xca, 0xfe);

const manyCommands: Handler = async (ctx) => {
  const [step, pause] = [ctx.run("step", () => "ran"), ctx.sleep(Number(ctx.input))];
  ctx.send("other", "sent");
  const called = ctx.call("other", "called");
  await ctx.get(pause);
  return `${await ctx.get(step)}, ${await ctx.get(called)}`;
};

test("replayed commands have the bytes that the handler sent, including fields that Stepwell cannot read", async () => {
  const stage = await open({ many: manyCommands, other: (ctx) => ctx.input });
  const { deployment } = stage;
  const sent: Uint8Array[] = [];
  deployment.instead = async (attempt) => {
    if (attempt.handler !== "many" || deployment.of("many").length > 1)
      return { body: await answerOf(deployment.handlers[attempt.handler]!, attempt) };
    const frames = framesOf(await answerOf(manyCommands, attempt)).map(({ type, payload, raw }) => {
      if (type === CONTROL.ProposeRunCompletion || type === CONTROL.Suspension) return raw;
      sent.push(encodeFrame(type, Buffer.concat([payload, UNKNOWN])));
      return sent.at(-1)!;
    });
    return { body: Buffer.concat(frames) };
  };
  const requests: Buffer[] = [];
  const opened = deployment.open.bind(deployment);
  deployment.open = (request) => {
    if (request.path.endsWith("/many")) requests.push(Buffer.concat(request.body));
    return opened(request);
  };
  const [first, second] = [stage.actor(), stage.actor()];
  const result = callOn(first, "many", String(stage.pulse.nowMs() + 30_000));
  await stage.pulse.pass(1_000);
  // Another process makes the next attempt, from the stored journal.
  second.startWorker();
  expect(textOf(await stage.pulse.within(60_000, result))).toBe("ran, called");
  expect(sent).toHaveLength(4);
  expect(requests.length).toBeGreaterThanOrEqual(2);
  const replayed = framesOf(requests.at(-1)!).map(({ raw }) => Buffer.from(raw).toString("hex"));
  const expected = sent.map((raw) => Buffer.from(raw).toString("hex"));
  expect(replayed.filter((raw) => expected.includes(raw))).toEqual(expected);
});
