/**
 * The shapes, which are the kinds of work whose cost docs/costs.md states: the shapes of the write budget, and others with a long
 * sleep or large payloads.
 */
import { createHash } from "node:crypto";
import { expect } from "vitest";
import type { WantedRule } from "../../shared/core/limits/rule-changes.ts";
import { applyRules } from "../../shared/engine/register/rules.ts";
import type { Play } from "../harness/engine/budget-play.ts";
import type { Shape } from "../harness/engine/budget-shape.ts";
import { CALLS, PARKS } from "../harness/engine/budget-shapes.ts";
import { KEYED } from "../harness/engine/budget-keyed-shapes.ts";
import type { ScriptedScheduler } from "./scripted-scheduler.ts";

export interface CostShape {
  readonly name: string;
  /** Requests to the two HTTP APIs. */
  readonly requests: number;
  /** What the shape needs, such as a rule and a pool that was used before; it does not count. */
  before?(play: Play): Promise<void>;
  play(play: Play, scheduler: ScriptedScheduler): Promise<void>;
}

/** The number of requests of each shape that has more than one. */
const REQUESTS: Readonly<Record<string, number>> = {
  "send that waits for an awakeable": 2,
  "2 exclusive sends, one waits": 2,
  "edit of a state, behind a call": 2,
  "workflow, a shared call completes its promise": 2,
};
const HOUR_MS = 3_600_000;
const NOISE_BYTES = 32;

const fromBudget = ({ name, play }: Shape): CostShape => ({ name, requests: REQUESTS[name] ?? 1, play });

const FAR: CostShape = {
  name: "send that sleeps an hour",
  requests: 1,
  async play(play, scheduler) {
    await play.send("Leaf/sleep", HOUR_MS);
    play.work();
    await play.settle();
    await play.clock.advance(scheduler.dueAtMs - play.clock.nowMs());
    await scheduler.fire();
    await play.settle();
    await play.nextMessage();
  },
};

const LARGE: readonly CostShape[] = [
  echo("call with 17 KB of JSON in and out", JSON.stringify(Array.from({ length: 400 }, row))),
  echo("call with 100 KB of noise in and out", noise(100_000)),
  echo("call with 1 MB of noise in and out", noise(1_000_000)),
];

const LIMITED: readonly CostShape[] = [
  limited("call under a limit", [{ pattern: "service:Leaf", limits: { concurrency: 5 } }]),
  limited("call under two limits", [
    { pattern: "service:Leaf", limits: { concurrency: 5 } },
    { pattern: "global:all", limits: { concurrency: 5 } },
  ]),
  limited("call at a rate", [{ pattern: "service:Leaf", limits: { rate: { count: 100, perMs: 1_000, burst: 100 } } }]),
  {
    ...limited("2 sends under a limit of one, one waits", [{ pattern: "service:Leaf", limits: { concurrency: 1 } }]),
    requests: 2,
    async play(play) {
      await play.send("Leaf/atGate", "first");
      play.work();
      await play.until(() => play.stage.deployment.atGate === 1, "the handler waits at the gate");
      await play.send("Leaf/echo", "second");
      const { activeInvocations } = play.worker.engine;
      const isParked = () => play.told().includes("put turn") && activeInvocations.size === 1;
      await play.until(isParked, "the second one waits");
      play.stage.deployment.openGate();
      await play.settle();
    },
  },
];

function limited(name: string, rules: readonly WantedRule[]): CostShape {
  const play = async (on: Play): Promise<void> => {
    expect(await on.call("Leaf/echo", "text")).toBe("text");
  };
  return {
    name,
    requests: 1,
    async before(on) {
      await applyRules(on.front.engine, rules);
      await play(on);
      await on.drain();
    },
    play,
  };
}

export const COST_SHAPES: readonly CostShape[] = [
  ...[...CALLS, ...PARKS].map(fromBudget),
  FAR,
  ...KEYED.map(fromBudget),
  ...LIMITED,
  ...LARGE,
];

function echo(name: string, text: string): CostShape {
  return { name, requests: 1, play: async (play) => expect((await play.call("Leaf/echo", text)) === text).toBe(true) };
}

function row(_: unknown, index: number): object {
  return { index, name: "a name", active: true };
}

/** Random text, like a picture or encrypted data in base64. The text is the same at each run. */
function noise(characters: number): string {
  const pieces = [];
  for (let at = 0; at * NOISE_BYTES * (4 / 3) < characters; at++) {
    pieces.push(createHash("sha256").update(`piece ${at}`).digest("base64url"));
  }
  return pieces.join("").slice(0, characters);
}
