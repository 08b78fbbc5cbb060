/** Mistakes that are planted in the engine: drawn programs show each of them, and show nothing without them. */
import { afterAll, beforeAll, beforeEach, expect, test, vi } from "vitest";
import type * as Retry from "../../shared/core/invocation/retry.ts";
import type * as KeyedStates from "../../shared/core/object/keyed-state.ts";
import type { Result } from "../../shared/core/model/failure.ts";
import type { CompletedName } from "../../shared/core/protocol/commands.ts";
import type * as Notifications from "../../shared/core/protocol/notifications.ts";
import type * as Prefix from "../../shared/core/invocation/ways-out.ts";
import type * as Failures from "../../shared/core/model/attempt-failure.ts";
import { acting } from "../planted/acts.ts";
import { plantedTests } from "../planted/planted-tests.ts";
import { Beside } from "./beside.ts";
import { drawScene } from "./draw-scene.ts";
import type { Scene } from "./program.ts";

const planted = vi.hoisted(() => ({ mistake: "" }));
const is = vi.hoisted(() => (mistake: string) => planted.mistake === mistake);

vi.mock("../../shared/core/invocation/retry.ts", async (original) => {
  const right = await original<typeof Retry>();
  const exhausted: typeof right.exhausted = (policy, failed) =>
    right.exhausted(policy, is("one attempt too many") ? acting(failed - 1) : failed);
  return { ...right, exhausted };
});
vi.mock("../../shared/core/object/keyed-state.ts", async (original) => {
  const right = await original<typeof KeyedStates>();
  const isLost = ({ kind }: { readonly kind: string }) =>
    is("state is never cleared") && kind !== "set" && acting(true);
  class NetEffect extends right.NetEffect {
    override add(change: Parameters<InstanceType<typeof right.NetEffect>["add"]>[0]): void {
      if (!isLost(change)) super.add(change);
    }
  }
  const place: typeof right.place = (state, changes) =>
    right.place(
      state,
      changes.filter((change) => !isLost(change)),
    );
  return { ...right, NetEffect, place };
});
vi.mock("../../shared/core/protocol/notifications.ts", async (original) => {
  const right = await original<typeof Notifications>();
  const { completionFrame, signalNotification } = right;
  const unset = { kind: "success", value: new TextEncoder().encode('"unset"') } as const;
  const mistaken = (name: CompletedName, result: Result | undefined): Result | undefined => {
    if (name === "Call" && is("a failed call has another code") && result?.kind === "failure")
      return acting({ ...result, failure: { ...result.failure, code: 500 } });
    if (name === "PeekPromise" && is("a promise is peeked before its time") && result === undefined)
      return acting(unset);
    return name === "AttachInvocation" && is("an attach gets another result") ? acting(unset) : result;
  };
  return {
    ...right,
    completionFrame: ((name, id, result, version) =>
      completionFrame(name, id, mistaken(name, result), version)) as typeof completionFrame,
    signalNotification: ((id, result, version) =>
      signalNotification(
        id,
        is("a signal loses its value") && "name" in id && result?.kind === "success" ? acting(undefined) : result,
        version,
      )) as typeof signalNotification,
  };
});
vi.mock("../../shared/core/invocation/ways-out.ts", async (original) => {
  const right = await original<typeof Prefix>();
  const journalPrefix: typeof right.journalPrefix = (journal, from) =>
    right.journalPrefix(journal, is("a restart keeps the input alone") ? acting(0) : from);
  return { ...right, journalPrefix };
});
vi.mock("../../shared/core/model/attempt-failure.ts", async (original) => {
  const right = await original<typeof Failures>();
  const sameFailure: typeof right.sameFailure = (a, b) =>
    is("each failure is noted anew") ? acting(false) : right.sameFailure(a, b);
  return { ...right, sameFailure };
});

/** Each mistake, and what a program needs to show it. */
const PLANTED: readonly { readonly what: string; readonly needed: RegExp }[] = [
  { what: "one attempt too many", needed: /"frail","steps":\[.*"do":"throw","times":3/ },
  {
    what: "state is never cleared",
    needed: /"do":"set","key":"a","value":[^}]*\},(?:\{[^[]*\},)?\{"do":"clear(?:All|","key":"a")/,
  },
  { what: "a failed call has another code", needed: /"do":"refuse"/ },
  { what: "a promise is peeked before its time", needed: /"what":"peek"/ },
  { what: "a signal loses its value", needed: /"do":"signal","gives"/ },
  { what: "an attach gets another result", needed: /"attaches":true/ },
  { what: "a restart keeps the input alone", needed: /"do":"run".*"do":"mark".*"restartsFrom":"mark"/ },
  { what: "each failure is noted anew", needed: /"do":"throw","times":2/ },
];
const PROGRAMS = 8;

function scenesWith(needed: RegExp): Scene[] {
  const found: Scene[] = [];
  for (let seed = 1; found.length < PROGRAMS; seed++) {
    const scene = drawScene(seed);
    if (needed.test(JSON.stringify(scene))) found.push(scene);
  }
  return found;
}

let beside: Beside;
beforeAll(async () => {
  beside = await Beside.open();
});
beforeEach(() => {
  planted.mistake = "";
});
afterAll(() => beside?.stop());

plantedTests(import.meta.filename, PLANTED, async ({ what, needed }) => {
  const scenes = scenesWith(needed);
  planted.mistake = what;
  const found = (await beside.compare(scenes)).flatMap((one) => one.found);
  expect(found).not.toEqual([]);
});

test("the same programs show nothing without a mistake", async () => {
  const scenes = PLANTED.flatMap(({ needed }) => scenesWith(needed).slice(0, 3));
  expect((await beside.compare(scenes)).flatMap((one) => one.found)).toEqual([]);
});
