/** The events of an attempt's span: what came from the handler, in bounded memory, however much came. */
import { expect, test } from "vitest";
import { SpanEvents } from "../../../shared/engine/local/open-attempt.ts";
import type { Received } from "../../../shared/core/protocol/received.ts";
import type { Span } from "../../../shared/engine/ports/tracer.ts";
import { sendOn } from "../../harness/engine/engine-fixture.ts";
import { stages } from "../../harness/engine/stages.ts";

const open = stages();

function commands(count: number, name = ""): Received[] {
  const message = { resultCompletionId: 1, name };
  return Array.from({ length: count }, (_, at) => ({
    kind: "command",
    name: "Run",
    message,
    type: 0x0411,
    frame: new Uint8Array(0),
    receivedAtMs: at,
  }));
}

test("the first 128 events are kept over all parts of a reply, and the others are counted", () => {
  const events = new SpanEvents();
  events.add(commands(100), 0);
  events.add(commands(100), 0);
  events.add(commands(5), 0);
  expect([events.kept.length, events.dropped]).toEqual([128, 77]);
  expect(events.kept.at(-1)?.atMs).toBe(27);
});

test("a long name is cut", () => {
  const events = new SpanEvents();
  events.add(commands(1, "n".repeat(2_000_000)), 0);
  expect(JSON.stringify(events.kept).length).toBeLessThan(1_200);
});

test.each([true, false])(
  "each attempt has its own events with their moments, whether the exchange stays open: %s",
  async (opens) => {
    const spans: Span[] = [];
    const tracer = { record: (span: Span) => void spans.push(span), flush: async () => {} };
    let attempts = 0;
    const stage = await open(
      {
        steps: async (ctx) => {
          await ctx.get(ctx.run("first", () => "1"));
          if (++attempts === 1) throw new Error("once");
          await ctx.get(ctx.run("second", () => "2"));
          return "done";
        },
      },
      { opensExchanges: opens },
    );
    const actor = stage.actor();
    Object.assign(actor.engine, { tracer });
    actor.startWorker();
    await sendOn(actor, "steps");
    await stage.pulse.pass(10_000);
    const told = spans
      .filter(({ name }) => name.startsWith("invocation-attempt"))
      .map(({ startedAtMs, endedAtMs, events = [] }) => {
        for (const { atMs } of events) expect(startedAtMs <= atMs && atMs <= endedAtMs).toBe(true);
        return events.map(({ name, attributes }) => [name.split(".").at(-1), ...Object.values(attributes)].join(" "));
      });
    expect(told[0]).toEqual(["new_command Command/Run first", "run_ended CompletionId: 1"]);
    const rest = ["new_command Command/Run second", "run_ended CompletionId: 2", "new_command Command/Output"];
    expect(told.slice(1).flat()).toEqual(rest);
  },
);
