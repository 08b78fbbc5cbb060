/** The days that some seeds skip when no other work is left; meanwhile no open invocation may expire. */
import { type Stretch, NEXT_DAY } from "./far-plan.ts";
import { START_MS } from "../virtual-clock.ts";
import type { Rules } from "./rules.ts";
import { vanishExpired } from "./vanish.ts";
import type { World } from "./world.ts";

/** By then the sweeper has made its first passes, and late writes have reached the table. */
export const BEGIN_AFTER_MS = 180_000;

export class Days {
  readonly #world: World;
  readonly #rules: Rules;
  readonly #drawn: Stretch | undefined;
  #begun = false;
  #lookedAtMs = 0;
  /** True once the days have passed, or if there are none to skip: from then on every invocation must end. */
  areOver = false;

  constructor(world: World, rules: Rules, drawn: Stretch | undefined) {
    this.#world = world;
    this.#rules = rules;
    this.#drawn = drawn;
  }

  /** @returns false if there are no days to skip, or if the skip began at an earlier call */
  begin(): boolean {
    if (this.#begun) return false;
    const { clock, queue, functions, fate, leap, trace } = this.#world;
    const messages = [...queue.waitingBy(Infinity), ...(functions?.waitingBy(Infinity) ?? [])];
    const stretch = this.#drawn ?? (messages.length > 0 ? NEXT_DAY : undefined);
    if (stretch !== undefined && clock.nowMs() - START_MS < BEGIN_AFTER_MS) return true;
    this.#begun = true;
    fate.end();
    if (stretch === undefined) {
      this.areOver = true;
      return false;
    }
    trace(`days pass: ${JSON.stringify(stretch)}`);
    if (this.#drawn !== undefined && stretch.sweepEveryMs === Infinity) fate.note("sweeper-rest");
    leap.begin(stretch.forMs, stretch.sweepEveryMs);
    return true;
  }

  /** Called at every step. */
  async pass(): Promise<void> {
    if (!this.#begun || this.areOver) return;
    const { clock, leap, outside, ownsStore, table } = this.#world;
    const nowMs = clock.nowMs();
    // A process that owns the store alone deletes expired items itself, after it has extended open invocations.
    if (nowMs > this.#lookedAtMs && !ownsStore)
      this.#rules.complaints.push(...(await vanishExpired(table, nowMs, (key) => this.#rules.isOfOpen(key))));
    this.#lookedAtMs = nowMs;
    if (leap.isOn) return;
    this.areOver = true;
    outside.remind();
  }
}
