/** Open exchanges of a process whose store is slow, or whose memory is taken by others (ADR 0008, ADR 0028). */
import { expect, test } from "vitest";
import { newBulkheads } from "../../../shared/engine/bulkheads/bulkheads.ts";
import { attach } from "../../../shared/engine/ingress/attach.ts";
import { callOn, sendOn, textOf } from "../../harness/engine/engine-fixture.ts";
import { segment } from "../../harness/engine/named-calls.ts";
import { stages } from "../../harness/engine/stages.ts";

const open = stages();
const OPEN = { opensExchanges: true, messageSizeMaxBytes: 4 << 20 };
const KIB = 1024;
const MIB = 1024 * KIB;
const WRITE_MS = 500;
/** Fifty results come while the store writes one segment. */
const RESULT_EVERY_MS = 10;

test("behind a slow store, results that come together share segments, and what waits for the store is bounded", async () => {
  const [count, sizeBytes] = [80, 256 * KIB];
  const stage = await open(
    {
      parallel: async (ctx) => {
        const closure = async () => {
          await stage.pulse.sleep(RESULT_EVERY_MS);
          return "x".repeat(sizeBytes);
        };
        const runs = Array.from({ length: count }, (_, at) => ctx.run(`run ${at}`, closure));
        return String((await ctx.all(...runs)).join("").length);
      },
    },
    OPEN,
  );
  const actor = stage.actor({ soleOwner: true });
  const { replies } = actor.engine.bulkheads;
  const held: number[] = [];
  actor.process.before = (call) => {
    if (!segment(call)) return undefined;
    return stage.pulse.sleep(WRITE_MS).then(() => void held.push(replies.held));
  };
  const result = await stage.pulse.within(60_000, callOn(actor, "parallel"));
  expect(textOf(result)).toBe(String(count * sizeBytes));
  expect(stage.deployment.attempts).toHaveLength(1);
  expect(Math.max(...held)).toBeLessThan(3 * MIB);
  expect(held.length).toBeLessThan(count / 2);
});

test("an exchange whose journal finds no more room is half-closed, and its invocation goes on once there is room, with no run executed twice", async () => {
  const count = 12;
  const limits = { journalsMaxBytes: 8 * MIB, journalsCountedFromBytes: MIB };
  let executions = 0;
  const stage = await open(
    {
      grows: async (ctx) => {
        let size = 0;
        for (let at = 0; at < count; at++)
          size += (await ctx.get(ctx.run(`run ${at}`, () => (executions++, "x".repeat(MIB))))).length;
        return String(size);
      },
    },
    OPEN,
  );
  const actor = stage.actor({ soleOwner: true });
  Object.assign(actor.engine.bulkheads, newBulkheads(actor.engine.clock, limits));
  const { journals } = actor.engine.bulkheads;
  const others = journals.open("others");
  // The account `others` goes beyond its share, so that the account of this invocation cannot go beyond its own share.
  expect(others.growAtOnce(9 * MIB)).toBe(true);
  actor.startWorker();
  const { invocationId } = await sendOn(actor, "grows");
  await stage.pulse.pass(10_000);
  expect(stage.deployment.attempts[0]).toMatchObject({ isOpen: true, halfClosed: true, aborted: false });
  expect(executions).toBeLessThan(count);
  others.close();
  const ended = await stage.pulse.within(60_000, attach(actor.engine, invocationId));
  expect(ended.kind === "ended" && textOf(ended)).toBe(String(count * MIB));
  expect(executions).toBe(count);
  await stage.pulse.settle();
  expect([journals.held, journals.waiting]).toEqual([0, 0]);
});
