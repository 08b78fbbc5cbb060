/** The operator who pauses open invocations of a wide seed, and resumes each of them a while later. */
import type { InvocationId } from "../../../shared/core/model/ids.ts";
import { pause } from "../../../shared/engine/operate/orders.ts";
import { resume } from "../../../shared/engine/operate/resume.ts";
import type { Random } from "../random.ts";
import type { Clients } from "./clients.ts";
import { isFar } from "./far-plan.ts";
import { isPoisoned } from "./poison.ts";
import type { Rules } from "./rules.ts";
import type { World } from "./world.ts";

const PAUSING_SHARE = 0.3;
const PAUSES_MAX = 3;
const WITHIN_MS = [2_000, 60_000];
const FOR_MS = [20, 2_000, 60_000, 600_000];
/** A late order to pause may follow the order to resume, so the operator looks again. */
const LOOK_AGAIN_MS = 30_000;

type Fail = (complaint: string) => void;

export class Pauses {
  readonly #world: World;
  readonly #clients: Clients;
  readonly #rules: Rules;
  readonly #random: Random;
  readonly #touched = new Set<InvocationId>();

  constructor(world: World, clients: Clients, rules: Rules, random: Random) {
    this.#world = world;
    this.#clients = clients;
    this.#rules = rules;
    this.#random = random;
  }

  begin(fail: Fail): void {
    if (!this.#random.chance(PAUSING_SHARE)) return;
    for (let n = this.#random.between(1, PAUSES_MAX); n > 0; n--) this.#clients.busyWith(this.#pauseOne(), fail);
  }

  /**
   * Called when a pause has taken effect.
   * @returns false if this operator did not ask for it
   */
  resumeLater(id: InvocationId, fail: Fail): boolean {
    if (!this.#touched.has(id)) return false;
    this.#clients.busyWith(this.#resume(id), fail);
    return true;
  }

  async #pauseOne(): Promise<void> {
    const { clock, fate, trace } = this.#world;
    await clock.sleep(this.#random.between(0, this.#random.pick(WITHIN_MS)));
    const open = this.#rules.lives.filter(
      ({ invocation, name }) => invocation.phase.status !== "completed" && !isPoisoned(name) && !isFar(name),
    );
    if (open.length === 0) return;
    const { id } = this.#random.pick(open).invocation.acceptance;
    this.#touched.add(id);
    fate.note("paused");
    trace(`an operator pauses ${id}`);
    await this.#clients.request(true, (engine) => pause(engine, id), "loses nothing");
  }

  async #resume(id: InvocationId): Promise<void> {
    const { clock } = this.#world;
    await clock.sleep(this.#random.pick(FOR_MS));
    do {
      await this.#clients.request(true, (engine) => resume(engine, id, { kind: "keep" }), "loses nothing");
      await clock.sleep(LOOK_AGAIN_MS);
    } while (this.#isPaused(id));
  }

  #isPaused(id: InvocationId): boolean {
    return this.#rules.lives.some(
      ({ invocation: { acceptance, phase } }) => acceptance.id === id && phase.status === "paused",
    );
  }
}
