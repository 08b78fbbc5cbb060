/** Payloads beyond DynamoDB's 400 KB, and the savings of compression in write units, as a DynamoDB emulator reports them. */
import { randomBytes } from "node:crypto";
import { afterEach, beforeEach, expect, test } from "vitest";
import { deflateCodec } from "../../shared/adapters/system/deflate-codec.ts";
import { attach } from "../../shared/engine/ingress/attach.ts";
import { call } from "../../shared/engine/ingress/call.ts";
import type { Engine } from "../../shared/engine/engine.ts";
import { Play, submission, valueOf } from "../harness/engine/budget-play.ts";
import { openStage, type Stage } from "../harness/engine/budget-stage.ts";
import { PROJECTED } from "../harness/engine/counted-table.ts";
import { SteppedClock } from "../stepped-clock.ts";
import { type MeteredTable, openTable } from "./open-table.ts";

const MIB = 1024 * 1024;
let journal: MeteredTable;
let meta: MeteredTable;
let stage: Stage;
let play: Play;
beforeEach(async () => {
  [journal, meta] = [await openTable(PROJECTED), await openTable()];
  const clock = new SteppedClock(Date.now());
  stage = await openStage(clock, { table: journal.table, meta: meta.table }, { codec: deflateCodec });
  play = new Play(stage, clock);
});
afterEach(async () => {
  await stage.close();
  await journal.close();
  await meta.close();
});

/** An engine without compression; on AWS, and on this stage, the engine compresses. */
function plainly(): Engine {
  const { codec: _, ...plain } = play.front.engine;
  return plain;
}
const unitsWritten = (): number =>
  journal.consumed.reduce((sum, { operation, tableUnits }) => (operation === "put" ? sum + tableUnits : sum), 0);

test.each([
  ["12 MiB of noise", randomBytes((12 * MIB * 3) / 4).toString("base64")],
  ["31 MiB of words", "some words that repeat ".repeat((31 * MIB) / 23)],
])("%s is unchanged through input, journal and output, and for a later attach", async (_, text) => {
  const { engine } = play.front;
  // The driver of a call releases a very large journal. A worker takes it up under the budget for journals, and the call polls
  // for its end.
  play.work();
  const ended = await play.stepUntil(call(engine, submission("Leaf/echo", text)), 100);
  if (ended.kind !== "ended") throw new Error(`the call was answered with ${ended.kind}`);
  expect(valueOf(ended) === text).toBe(true);
  expect(valueOf(await attach(engine, ended.invocationId)) === text).toBe(true);
});

test("a call with compressible text consumes the units of its compressed size", async () => {
  const text = JSON.stringify(Array.from({ length: 400 }, (_, index) => ({ index, name: "a name", active: true })));
  const before = unitsWritten();
  await call(plainly(), submission("Leaf/echo", text));
  const plain = unitsWritten() - before;
  await call(play.front.engine, submission("Leaf/echo", text));
  const packed = unitsWritten() - before - plain;
  console.log(`a call with ${text.length} bytes in and out: ${plain} units plain, ${packed} packed`);
  expect(packed).toBeLessThan(plain / 4);
});
