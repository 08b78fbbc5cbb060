/**
 * The weeks after the work of a wide seed: the table deletes what has expired, item by item, and clients come back meanwhile. They
 * attach, read results, repeat keys and resolve old awakeables, and an operator orders looks at everything.
 */
import type { InvocationId } from "../../../shared/core/model/ids.ts";
import { attach, output } from "../../../shared/engine/ingress/attach.ts";
import type { Random } from "../random.ts";
import type { Clients } from "./clients.ts";
import { START_MS } from "../virtual-clock.ts";
import { BEGIN_AFTER_MS } from "./days.ts";
import { isFar } from "./far-plan.ts";
import { Expirer } from "./faults/expirer.ts";
import type { Ask } from "./plan.ts";
import { isFree, type Rules, type Seen } from "./rules.ts";
import type { World } from "./world.ts";

const DAY_MS = 86_400_000;
/** By then nearly all items of the seed have expired and are deleted. */
const FOR_MS = [4 * DAY_MS, 21 * DAY_MS, 24 * DAY_MS, 60 * DAY_MS];
const SWEEP_EVERY_MS = [DAY_MS / 2, Infinity];
const VISITS_MAX = 12;
/** Most visits come when the items of invocations with the usual retention go. */
const FROM_DAYS = [0, 16, 17, 17, 17, 18, 18, 19];

/** More than the clocks of two processes differ, and more than an acceptance takes. */
const SOON_MS = 600_000;
const VISITS = { attach: 3, output: 3, again: 3, awakeable: 3, sweep: 2 };

export class Aftermath {
  readonly #world: World;
  readonly #clients: Clients;
  readonly #rules: Rules;
  readonly #random: Random;
  readonly #expirer: Expirer;
  /** True once the weeks have begun. */
  isBegun = false;
  /** The requests that clients repeated. */
  readonly asked: Ask[] = [];

  constructor(world: World, clients: Clients, rules: Rules, random: Random) {
    this.#world = world;
    this.#clients = clients;
    this.#rules = rules;
    this.#random = random;
    const onExpired = (item: Parameters<Rules["expire"]>[0]): void => {
      if (!world.fate.struck.includes("expired")) world.fate.note("expired");
      rules.expire(item);
    };
    this.#expirer = new Expirer({ table: world.table, clock: world.clock, random, onExpired });
  }

  /** @returns false if the seed has no such weeks, or if they have begun before; true if they begin now or later */
  begin(plan: readonly Ask[], fail: (complaint: string) => void): boolean {
    const { clock, hardships, leap, trace } = this.#world;
    if (this.isBegun || hardships?.expires !== true) return false;
    if (clock.nowMs() - START_MS < BEGIN_AFTER_MS) return true;
    this.isBegun = true;
    const forMs = this.#random.pick(FOR_MS);
    trace(`weeks pass: ${forMs} ms`);
    leap.begin(forMs, this.#random.pick(SWEEP_EVERY_MS));
    this.#expirer.begin();
    const count = this.#random.between(1, VISITS_MAX);
    for (let n = 0; n < count; n++) this.#clients.busyWith(this.#visit(plan, forMs), fail);
    return true;
  }

  /** Called at every step. */
  pass(): void {
    if (this.isBegun && !this.#world.leap.isOn) this.#expirer.end();
  }

  async #visit(plan: readonly Ask[], forMs: number): Promise<void> {
    const random = this.#random;
    const { clock, outside } = this.#world;
    const afterMs = Math.min(forMs, random.pick(FROM_DAYS) * DAY_MS + random.between(0, 2 * DAY_MS));
    const what = random.weighted(VISITS);
    const [seen, ask, told] = [
      pickFrom(random, this.#rules.lives),
      pickFrom(random, plan.filter(isBrief)),
      pickFrom(random, outside.told),
    ];
    await clock.sleep(afterMs);
    const id = seen?.invocation.acceptance.id;
    if (what === "sweep") await this.#clients.orderPass();
    else if (what === "again" && ask?.key !== undefined) await this.#again(ask);
    else if (what === "awakeable" && told !== undefined) await this.#clients.resolve(told);
    else if (id !== undefined) await this.#look(id, what === "attach");
  }

  async #again(ask: Ask): Promise<void> {
    const { later: _, ...repeated } = { ...ask, atMs: 0, delayMs: 0, how: "call" as const };
    this.asked.push(repeated);
    await this.#clients.repeat(repeated);
  }

  async #look(id: InvocationId, attaches: boolean): Promise<void> {
    const beganMs = this.#world.clock.nowMs();
    const answer = await this.#clients.request(true, (engine) => (attaches ? attach : output)(engine, id));
    if (answer?.kind === "ended") return this.#clients.note(answer);
    const lives = this.#rules.lives.filter(
      ({ invocation: { acceptance } }) => acceptance.id === id && acceptance.createdAtMs + SOON_MS < beganMs,
    );
    if (answer?.kind === "open" && lives.every((life) => isOver(life, beganMs)))
      this.#rules.complaints.push(`${id} has ended, and a client that comes later is told that it is open`);
    if (answer?.kind === "unknown" && lives.some((life) => !isFree(life, this.#world.clock.nowMs())))
      this.#rules.complaints.push(`${id} is kept, and a client that comes later is told that it is unknown`);
  }
}

/** True if the request can be repeated when the work is over: it then ends by itself, and soon. */
function isBrief({ program, later }: Ask): boolean {
  return !isFar(program.name) && program.yields !== true && later?.what !== "cancel" && later?.what !== "kill";
}

function isOver({ invocation: { phase } }: Seen, beforeMs: number): boolean {
  return phase.status === "completed" && phase.endedAtMs < beforeMs;
}

function pickFrom<T>(random: Random, from: readonly T[]): T | undefined {
  return from.length === 0 ? undefined : random.pick(from);
}
