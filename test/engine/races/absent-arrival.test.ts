/** A load of several reads, during which another process writes an arrival and a segment that lists the arrival (I4). */
import { expect, test } from "vitest";
import type { InvocationId } from "../../../shared/core/model/ids.ts";
import { encodeAwakeableId } from "../../../shared/core/protocol/awakeable-id.ts";
import { completeAwakeable } from "../../../shared/engine/effects/perform.ts";
import type { Range } from "../../../shared/engine/ports/table.ts";
import { ARRIVALS, HOLD_TO_SEGMENTS } from "../../../shared/engine/store/item-keys.ts";
import { load, type Loaded, SMALL_MAX_BYTES } from "../../../shared/engine/store/load.ts";
import { TooLargeError } from "../../../shared/engine/store/read-partition.ts";
import { type Actor, sendOn } from "../../harness/engine/engine-fixture.ts";
import { Gate } from "../../harness/engine/gate.ts";
import type { ScriptContext } from "../../harness/engine/script-context.ts";
import { stages } from "../../harness/engine/stages.ts";
import { synchronousCodec } from "../../harness/engine/synchronous-codec.ts";

const open = stages();
const MIB = 1024 * 1024;

type Held = (range: Range) => boolean;

const isSecondPage: Held = ({ after }) => after !== undefined;
const isOfArrivals: Held = ({ below }) => below === ARRIVALS.below;

/** Holds back some reads of a partition. @returns a function that returns the number of these reads */
function holds({ process }: Actor, gate: Gate, isHeld: Held): () => number {
  let held = 0;
  process.before = ({ port, method, args }) => {
    if (port !== "table" || method !== "query" || !isHeld(args[1] as Range)) return undefined;
    held++;
    return gate.passed;
  };
  return () => held;
}

/**
 * Holds a load back before some of its reads, until another process has written an arrival and the final segment,
 * which lists the arrival.
 * @param value the result in the arrival
 */
async function loadMeanwhile<T>(
  value: Uint8Array,
  isHeld: Held,
  begin: (reader: Actor, id: InvocationId) => Promise<T>,
): Promise<T> {
  const gate = new Gate();
  const handlers = { waits: async (ctx: ScriptContext) => (await ctx.get(ctx.awakeable().result), "done") };
  const stage = await open(handlers, { messageSizeMaxBytes: 32 * MIB });
  const [driver, reader] = [stage.actor(), stage.actor()];
  driver.startWorker();
  // The pieces of the input lie between the arrivals and the segments, and fill the first page.
  const { invocationId } = await sendOn(driver, "waits", "x".repeat(2 * MIB));
  await stage.pulse.pass(1_000);
  for (const { engine } of [driver, reader]) Object.assign(engine, { codec: synchronousCodec });
  const awakeable = encodeAwakeableId(stage.deployment.attempts[0]!.start.id, 17);
  const held = holds(reader, gate, isHeld);
  const loaded = begin(reader, invocationId);
  await stage.pulse.settle();
  expect(held()).toBe(1);
  await stage.pulse.within(1_000, completeAwakeable(driver.engine, awakeable, { kind: "success", value }));
  await stage.pulse.pass(1_000);
  gate.open();
  return await stage.pulse.within(1_000, loaded);
}

const typesIn = (loaded: Loaded | undefined) =>
  loaded!.invocation.journal.entries.map((entry) => (entry.kind === "command" ? entry.command.kind : entry.type));

test("if the last page of a load lists an arrival that the first page lacked, the load reads the arrivals again", async () => {
  const loaded = await loadMeanwhile(new Uint8Array(1), isSecondPage, ({ engine }, id) =>
    load(engine, id, SMALL_MAX_BYTES),
  );
  expect(loaded!.invocation.phase.status).toBe("completed");
  expect(typesIn(loaded)).toEqual(["input", "Signal", "output"]);
});

test("a load in parts reads the arrivals last, so an arrival is fresh if no segment that was read before lists it", async () => {
  const loaded = await loadMeanwhile(new Uint8Array(1), isOfArrivals, ({ engine }, id) => load(engine, id));
  expect(loaded!.invocation.phase.status).toBe("suspended");
  expect([typesIn(loaded), [...loaded!.arrivals.keys()]]).toEqual([["input"], ["s17"]]);
});

test("a load in parts counts the unpacked size of the arrivals that its segments list", async () => {
  let countedBytes = 0;
  const onBytes = async (bytes: number) => void (countedBytes += bytes);
  const isOfSegments: Held = ({ from }) => from === HOLD_TO_SEGMENTS.from;
  await loadMeanwhile(new Uint8Array(9 * MIB), isOfSegments, ({ engine }, id) => load(engine, id, Infinity, onBytes));
  expect(countedBytes).toBeGreaterThanOrEqual(11 * MIB);
});

test("a load with a limit refuses arrivals that exceed the limit at its second read", async () => {
  const loading = loadMeanwhile(new Uint8Array(9 * MIB), isSecondPage, ({ engine }, id) =>
    load(engine, id, SMALL_MAX_BYTES),
  );
  await expect(loading).rejects.toThrow(TooLargeError);
});
