/** Plays a scene of limits on both sides at the same time, and compares after each round. */
import { Random } from "../../simulation/random.ts";
import { compare, shownFound } from "../compare.ts";
import { startReferenceWithLimits, startStepwell } from "../side.ts";
import type { Act } from "./acts.ts";
import { ActDrawing } from "./draw-limits.ts";
import { LimitedSide } from "./limited-side.ts";
import type { Job, World } from "./model.ts";

const ROUNDS = 14;
const SCOPES = 4;

interface Played {
  readonly trace: readonly string[];
  readonly complaints: readonly string[];
}

export class LimitsBeside {
  readonly #ours: LimitedSide;
  readonly #theirs: LimitedSide;
  readonly figures = { scenes: 0, rounds: 0, acts: 0, rules: 0, invocations: 0, waitersSeen: 0 };

  /** No scope of another scene is the same. */
  #plays = 0;

  private constructor(ours: LimitedSide, theirs: LimitedSide) {
    this.#ours = ours;
    this.#theirs = theirs;
  }

  static async open(): Promise<LimitsBeside> {
    const opening = await Promise.allSettled([
      LimitedSide.open("ours", startStepwell),
      LimitedSide.open("theirs", startReferenceWithLimits),
    ]);
    const sides = opening.flatMap((one) => (one.status === "fulfilled" ? [one.value] : []));
    const failed = opening.find((one) => one.status === "rejected");
    if (failed !== undefined) {
      await Promise.all(sides.map(({ side }) => side.stop()));
      throw failed.reason;
    }
    return new LimitsBeside(sides[0]!, sides[1]!);
  }

  /** @param settledWithinMs how long a look waits for what should be */
  async play(seed: number, settledWithinMs?: number): Promise<Played> {
    const sides = [this.#ours, this.#theirs] as const;
    if (settledWithinMs !== undefined) for (const side of sides) side.settledWithinMs = settledWithinMs;
    const scene = new LimitScene(seed, sides, `x${this.#plays++}.${seed}`);
    const played = await scene.play();
    this.figures.scenes++;
    this.figures.rounds += ROUNDS;
    this.figures.acts += scene.counts.acts;
    this.figures.rules += scene.counts.rules;
    this.figures.waitersSeen += scene.counts.waitersSeen;
    this.figures.invocations += scene.counts.invocations;
    return played;
  }

  async stop(): Promise<void> {
    await Promise.all([this.#ours.side.stop(), this.#theirs.side.stop()]);
  }
}

class LimitScene {
  readonly #random: Random;
  readonly #drawing: ActDrawing;
  readonly #sides: readonly [LimitedSide, LimitedSide];
  readonly #scopes: readonly string[];
  readonly #trace: string[] = [];
  readonly #complaints: string[] = [];
  readonly counts = { acts: 0, rules: 0, waitersSeen: 0, invocations: 0 };
  #world: World = { jobs: [], rules: [] };

  constructor(seed: number, sides: readonly [LimitedSide, LimitedSide], name: string) {
    this.#random = new Random(seed);
    this.#drawing = new ActDrawing(this.#random);
    this.#sides = sides;
    this.#scopes = Array.from({ length: SCOPES }, (_, at) => `${name}.${at}`);
  }

  async play(): Promise<Played> {
    for (let round = 0; round < ROUNDS && this.#complaints.length === 0; round++) {
      if (round < 3 || this.#random.chance(0.4)) await this.#changeRule();
      if (this.#complaints.length === 0) await this.#actInEachScope();
    }
    if (this.#complaints.length === 0) await this.#compareResults();
    await this.#clear();
    this.counts.invocations = this.#world.jobs.length;
    return { trace: this.#trace, complaints: this.#complaints };
  }

  async #compareResults(): Promise<void> {
    const [ours, theirs] = await Promise.all(this.#sides.map((side) => side.results(this.#world.jobs)));
    this.#complaints.push(...compare(ours, theirs).map((found) => `results: ${shownFound(found)}`));
  }

  async #changeRule(): Promise<void> {
    const drawn = this.#drawing.ruleChange(this.#scopes, this.#world);
    if (drawn === undefined) return;
    this.counts.rules++;
    await this.#perform([drawn.act], drawn.world);
  }

  /** Scopes share no place, so the acts in them happen at the same time. */
  async #actInEachScope(): Promise<void> {
    const acts: Act[] = [];
    let world = this.#world;
    for (const scope of this.#scopes) {
      const drawn = this.#drawing.actIn(scope, world);
      if (drawn === undefined) continue;
      acts.push(drawn.act);
      world = drawn.world;
    }
    this.counts.acts += acts.length;
    await this.#perform(acts, world);
  }

  async #perform(acts: readonly Act[], next: World): Promise<void> {
    const before = this.#world.jobs;
    this.#world = next;
    for (const act of acts) this.#trace.push(JSON.stringify(act));
    const [ours, theirs] = await Promise.all(
      this.#sides.map(async (side) => {
        const answers = await Promise.all(acts.map((act) => side.act(act, before)));
        return { answers, statuses: await side.settle(openJobs(next.jobs, before)) };
      }),
    );
    const expected = Object.fromEntries(openJobs(next.jobs, before).map(({ name, status }) => [name, status]));
    this.counts.waitersSeen += Object.values(expected).filter((status) => status === "waiting").length;
    this.#complaints.push(...compare(ours!, theirs!).map((found) => `between the servers: ${shownFound(found)}`));
    for (const [at, { statuses }] of [ours!, theirs!].entries())
      for (const { path, ours: is, theirs: should } of compare(statuses, expected)) {
        const { side, orders } = this.#sides[at]!;
        const attempts = orders.begun.filter((name) => name === path[0]).length;
        const begun = `its handler has begun ${attempts} times`;
        this.#complaints.push(
          `${side.name}: ${path.join()} is ${String(is)} and should be ${String(should)}; ${begun}`,
        );
      }
  }

  /** Removes the rules, and ends all that is left. */
  async #clear(): Promise<void> {
    const { jobs, rules } = this.#world;
    const acts: Act[] = rules.map(({ pattern }) => ({ do: "unrule", pattern }));
    for (const act of acts) for (const side of this.#sides) await side.act(act, jobs);
    const open = jobs.filter(({ status }) => status !== "ended");
    for (const side of this.#sides) {
      await Promise.all(open.map(({ name }) => side.side.admin("PATCH", `/invocations/${side.idOf(name)}/kill`)));
      await side.settle(open.map((job) => ({ ...job, status: "ended" })));
    }
  }
}

/** Those that had not ended before the last act. */
function openJobs(jobs: readonly Job[], before: readonly Job[]): readonly Job[] {
  const ended = new Set(before.filter(({ status }) => status === "ended").map(({ name }) => name));
  return jobs.filter(({ name }) => !ended.has(name));
}
