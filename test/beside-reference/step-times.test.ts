/**
 * The times that the timeline shows are those that handlers record by their own clock, or bounds that hold; and for the same handlers
 * the reference server shows the same times.
 *
 * No time is asserted by itself: each shown time is compared with the record of the handler. They may differ by 50 ms, and by the
 * longest pause that this process made meanwhile (`monitorEventLoopDelay`), because both sides of the comparison run in it, and each
 * message crosses it twice.
 */
import { monitorEventLoopDelay } from "node:perf_hooks";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, expect, test, vi } from "vitest";
import type { InvocationBody } from "../../shared/api/contract/invocations.ts";
import { failedCount, type Operation } from "../../ui/model/timeline/operation.ts";
import { operationsOf } from "../../ui/model/timeline/operations.ts";
import { SEEN_WITHIN } from "../patience.ts";
import { Recorder } from "./recorder.ts";
import { type Server, Side, startReference, startStepwell } from "./side.ts";
import { type Recorded, startTimed, type Timed, type Transport } from "./timed-services.ts";

const closings: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  for (const close of closings.splice(0).toReversed()) await close();
});

const ALLOWED_MS = 50;
const NS_A_MS = 1_000_000;
/** How long `Stay/wait` waits before its awakeable is resolved: longer than the differences that are allowed. */
const WAITED_MS = 600;

interface Played {
  readonly side: Side;
  readonly timed: Timed;
  readonly allowedMs: number;
  /** The id of the called invocation. */
  readonly id: string;
  /** When the awakeable of `Stay/wait` was resolved. */
  readonly resolved?: { readonly startMs: number; readonly endMs: number };
}

async function played(
  transport: Transport,
  start: (dir: string) => Promise<Server>,
  play: (side: Side, timed: Timed) => Promise<Pick<Played, "id" | "resolved">> = book,
): Promise<Played> {
  const dir = await mkdtemp(join(tmpdir(), "stepwell-times-"));
  closings.push(() => rm(dir, { recursive: true, force: true }));
  const server = await start(dir);
  closings.push(() => server.stop());
  const side = new Side(start === startReference ? "theirs" : "ours", new Recorder(), server, []);
  const timed = await startTimed(transport);
  closings.push(() => timed.stop());
  const registered = await side.admin("POST", "/deployments", { uri: timed.uri, use_http_11: transport !== "h2" });
  expect(registered.status).toBe(201);
  const delay = monitorEventLoopDelay({ resolution: 10 });
  delay.enable();
  const { id, resolved } = await play(side, timed);
  delay.disable();
  return { side, timed, allowedMs: ALLOWED_MS + (2 * delay.max) / NS_A_MS, id, ...(resolved && { resolved }) };
}

async function book(side: Side): Promise<Pick<Played, "id">> {
  const { status, text, headers } = await side.post("/Trip/book");
  expect([status, text]).toEqual([200, '"booked"']);
  return { id: headers.get("x-restate-id")! };
}

/** Resolves the awakeable after a while, and records from when to when. */
async function stay(side: Side, { awakeables }: Timed): Promise<Pick<Played, "id" | "resolved">> {
  const called = side.post("/Stay/wait");
  await vi.waitFor(() => expect(awakeables.length).toBeGreaterThan(0), SEEN_WITHIN);
  await sleep(WAITED_MS);
  const startMs = Date.now();
  expect((await side.post(`/restate/awakeables/${awakeables[0]}/resolve`, "go on")).status).toBe(202);
  const resolved = { startMs, endMs: Date.now() };
  const { status, text, headers } = await called;
  expect([status, text]).toEqual([200, '"left"']);
  return { id: headers.get("x-restate-id")!, resolved };
}

async function shownOf({ side }: Played, id: string): Promise<readonly Operation[]> {
  const { text } = await side.admin("GET", `/invocations/${id}`);
  return operationsOf(JSON.parse(text) as InvocationBody);
}

const of = (operations: readonly Operation[], label: string): Operation => {
  const found = operations.find((one) => one.label === label);
  if (found === undefined) throw new Error(`no ${label} among ${operations.map((one) => one.label).join()}`);
  return found;
};

/** What is wrong with the shown times of a step; empty if nothing is. */
function wrongIn(
  shown: Pick<Operation, "startMs" | "endMs" | "within">,
  real: Recorded,
  allowedMs: number,
): readonly string[] {
  const { startMs, endMs = Number.NaN, within } = shown;
  const beside = (ms: number, what: string, by: number): string[] =>
    Math.abs(by) <= allowedMs ? [] : [`${what} ${ms}: off by ${by}`];
  if (within === undefined)
    return [...beside(startMs, "start", startMs - real.startMs), ...beside(endMs, "end", endMs - real.endMs)];
  const early = within.startMs - real.startMs;
  const late = real.endMs - within.endMs;
  return [
    ...(early > allowedMs ? [`begun ${early} before the bound`] : []),
    ...(late > allowedMs ? [`ended ${late} after it`] : []),
  ];
}

test.each<Transport>(["h2", "http1", "http1-whole"])(
  "over %s the timeline shows what the handlers record",
  async (transport) => {
    const play = await played(transport, startStepwell);
    const { timed, allowedMs, id } = play;
    const operations = await shownOf(play, id);
    const own = timed.recorded.filter(({ name }) => name !== "part" && name !== "charge");
    const wrong: Record<string, readonly string[]> = {};
    for (const name of ["reserve", "release"]) {
      const real = own.find((one) => one.name === name)!;
      wrong[name] = wrongIn(of(operations, name), real, allowedMs);
    }
    const flaky = of(operations, "flaky");
    const tries = own.filter(({ name }) => name === "flaky");
    expect(tries.map(({ failed }) => failed)).toEqual([true, true, false]);
    expect(failedCount(flaky)).toBe(2);
    const spans = flaky.tries.flatMap(({ startMs, endMs, isBound, last }) => [
      { startMs, endMs, ...(isBound && { within: { startMs, endMs } }) },
      ...(last ? [{ startMs: last.startMs, endMs: last.endMs, within: last }] : []),
    ]);
    expect(spans).toHaveLength(2);
    for (const [at, span] of spans.entries()) wrong[`failed ${at}`] = wrongIn(span, tries[at]!, allowedMs);
    const within = { startMs: flaky.resultFromMs!, endMs: flaky.endMs! };
    wrong["flaky"] = wrongIn({ ...within, within }, tries[2]!, allowedMs);
    expect(wrong).toEqual(Object.fromEntries(Object.keys(wrong).map((name) => [name, []])));
    // A bound is worth something: on an open exchange, nothing of these steps is unknown.
    if (transport === "h2")
      for (const name of ["reserve", "release"]) expect(of(operations, name).within).toBeUndefined();
    // The order is certain without any tolerance: the compensation comes after the failure of the call.
    const charge = of(operations, "Card/charge");
    expect(charge.outcome).toBe("failed");
    expect(of(operations, "release").startMs).toBeGreaterThanOrEqual(charge.endMs!);
    expect(of(operations, "reserve").endMs).toBeLessThanOrEqual(charge.startMs);
    // Each call of the fan-out ends with its own child.
    const calls = operations.filter(({ label }) => label === "Card/part");
    expect(calls).toHaveLength(3);
    for (const call of calls) {
      const child = timed.recorded.find(({ invocationId }) => invocationId === call.childId)!;
      expect(Math.abs(call.endMs! - child.endMs)).toBeLessThanOrEqual(allowedMs);
      const [part] = (await shownOf(play, call.childId!)).filter(({ label }) => label === "part");
      expect(wrongIn(part!, child, allowedMs)).toEqual([]);
    }
  },
);

test.each<Transport>(["h2", "http1", "http1-whole"])(
  "over %s the timeline shows when a wait and a sleep ended, and when an attempt was lost in a step",
  async (transport) => {
    const play = await played(transport, startStepwell, stay);
    const { timed, allowedMs, id, resolved } = play;
    const operations = await shownOf(play, id);
    const kindOf = (kind: Operation["kind"]): Operation => operations.find((one) => one.kind === kind)!;
    // Later attempts run the code again.
    const firstOf = (name: string): Recorded => timed.recorded.find((one) => one.name === name)!;
    const [waiting, nap, fragile] = [kindOf("awakeable"), kindOf("sleep"), of(operations, "fragile")];
    // No message says when the handler began to wait, so the awakeable is a moment.
    expect(waiting.startMs).toBe(waiting.endMs);
    expect(waiting.endMs! - resolved!.startMs).toBeGreaterThanOrEqual(-allowedMs);
    expect(waiting.endMs! - resolved!.endMs).toBeLessThanOrEqual(allowedMs);
    expect(Math.abs(nap.endMs! - firstOf("slept").endMs)).toBeLessThanOrEqual(allowedMs);
    expect(nap.startMs - firstOf("answered").endMs).toBeGreaterThanOrEqual(-allowedMs);
    const [lost, whole] = timed.recorded.filter(({ name }) => name === "fragile");
    // A broken connection names no step: the row goes on until the result, which came after the moment that the row names.
    expect(failedCount(fragile)).toBe(0);
    if (transport === "h2") expect(Math.abs(fragile.startMs - lost!.startMs)).toBeLessThanOrEqual(allowedMs);
    const last = { startMs: fragile.resultFromMs ?? fragile.startMs, endMs: fragile.endMs! };
    expect(wrongIn({ ...last, within: last }, whole!, allowedMs)).toEqual([]);
  },
);

test("the reference server shows the same handlers with the same times", async () => {
  const plays = [await played("h2", startStepwell), await played("h2", startReference)];
  for (const { side, timed, allowedMs, id } of plays) {
    const rows = await side.query(
      `SELECT index, entry_type, name, appended_at FROM sys_journal WHERE id = '${id}' ORDER BY index`,
    );
    const command = (name: string) => rows.findIndex((row) => row["name"] === name);
    const momentAt = (index: number): number => Date.parse(String(rows[index]!["appended_at"]));
    for (const name of ["reserve", "release"]) {
      const real = timed.recorded.find((one) => one.name === name)!;
      const at = command(name);
      const result = rows.findIndex((row, index) => index > at && row["entry_type"] === "Notification: Run");
      const found = wrongIn({ startMs: momentAt(at), endMs: momentAt(result) }, real, allowedMs);
      expect([side.name, name, found]).toEqual([side.name, name, []]);
    }
  }
});
