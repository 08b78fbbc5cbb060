/** The operator who edits the state of workflows while their runs go on, and the judge: no edit hides a later write of the run. */
import { editState, stateOf } from "../../../shared/engine/operate/edit-state.ts";
import type { Random } from "../random.ts";
import type { Clients } from "./clients.ts";
import type { Ask } from "./plan.ts";
import { flowAt, namesOf, type Step } from "./program.ts";
import type { Rules } from "./rules.ts";
import type { World } from "./world.ts";

const EDITED_SHARE = 0.7;
const EDITS_MAX = 3;
/** An edit comes this long after the request or the edit before it. */
const AFTER_MS = [20, 1_000, 5_000, 30_000];
/** Some values fit into the lock, and some do not. */
const VALUE_BYTES = [8, 400, 3_000];
const decoder = new TextDecoder();

interface Edit {
  readonly key: string;
  readonly name: string;
  readonly value: string;
  /** When the edit and the read after it were over. */
  readonly overMs: number;
}

export class Edits {
  readonly #world: World;
  readonly #clients: Clients;
  readonly #random: Random;
  /** The edits whose value a later read has shown. */
  readonly #shown: Edit[] = [];
  #made = 0;

  constructor(world: World, clients: Clients, random: Random) {
    this.#world = world;
    this.#clients = clients;
    this.#random = random;
  }

  begin(plan: readonly Ask[], fail: (complaint: string) => void): void {
    for (const { program, atMs } of plan) {
      const kept = program.steps.filter((step): step is Extract<Step, { do: "remember" }> => step.do === "remember");
      if (program.flow === undefined || kept.length === 0 || !this.#random.chance(EDITED_SHARE)) continue;
      const [name = ""] = namesOf(this.#random.pick(kept).values);
      this.#clients.busyWith(this.#edit(program.flow, name, atMs), fail);
    }
  }

  async #edit(key: string, name: string, atMs: number): Promise<void> {
    const { clock } = this.#world;
    const random = this.#random;
    await clock.sleep(atMs);
    const target = flowAt(key);
    for (let n = random.between(1, EDITS_MAX); n > 0; n--) {
      await clock.sleep(random.pick(AFTER_MS));
      const value = `edit${this.#made++}`.padEnd(random.pick(VALUE_BYTES), "-");
      // The operator does not repeat an edit that failed, but looks what has become of it.
      await this.#clients.request(
        false,
        async (engine) => {
          const values = new Map(await stateOf(engine, target));
          if (values.size > 0)
            await editState(engine, target, "workflow", values.set(name, new TextEncoder().encode(value)));
        },
        "loses nothing",
      );
      const found = await this.#clients.request(true, (engine) => stateOf(engine, target));
      if (decoder.decode(found?.get(name)) === value) this.#shown.push({ key, name, value, overMs: clock.nowMs() });
    }
  }

  /** Judges the state at the end of the work. */
  async complaints({ changes }: Rules): Promise<readonly string[]> {
    const complaints: string[] = [];
    for (const { key, name, value, overMs } of this.#shown) {
      const state = await stateOf(this.#world.observer(), flowAt(key));
      const hides = changes.some((one) => one.key === key && one.name === name && one.atMs > overMs);
      if (hides && decoder.decode(state?.get(name)) === value)
        complaints.push(`an edit of ${key} hides a later write of ${name.slice(0, 8)}`);
    }
    return complaints;
  }
}
