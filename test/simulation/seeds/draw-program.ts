/** Draws the programs of a seed's handlers: small trees of steps. Several callers may request the same program under one key. */
import { type Branch, type Program, REFUSED, type Step } from "./program.ts";
import type { Random } from "../random.ts";

const DEPTH_MAX = 2;
const STEPS_MAX = 4;
const PROGRAMS_MAX = 14;
const OBJECTS_MAX = 3;
/** The longest sleep exceeds the longest delay of a message, which is 30 seconds in this simulation, so its wake is a timer. */
const SLEEPS_MS = [5, 300, 2_000, 20_000, 70_000];
/** The length of a sleep that only a cancel or a kill ends, because it exceeds the longest run of the simulation. */
const FOREVER_MS = 4 * 3_600_000;
/** The length of a sleep whose canceller may itself be cancelled, so that the sleep must end by itself. */
const LONG_MS = 600_000;

/** The share of sends whose program is brief: its result is kept for only a second. */
const BRIEF_SHARE = 0.25;

const STEPS = { run: 6, sleep: 2, call: 4, send: 2, all: 2, race: 1, attach: 1, cancel: 1, await: 2 };

export class Drawing {
  readonly #random: Random;
  readonly #shared: Program[] = [];
  /** The share of programs that run on objects, and the number of objects. */
  readonly #objectShare: number;
  readonly #objects: number;
  #drawn = 0;

  constructor(random: Random) {
    this.#random = random;
    this.#objectShare = random.pick([0, 0.3, 0.9]);
    this.#objects = random.between(1, OBJECTS_MAX);
  }

  /**
   * @param depth the depth of the program in the tree of calls; 0 for a client's request
   * @param above the lowest number that the object of the program may have. A holder waits only for objects with higher
   * numbers, so that no deadlock occurs.
   */
  program(depth: number, above = 0): Program {
    const random = this.#random;
    const name = `p${this.#drawn++}`;
    const object = random.chance(this.#objectShare) ? this.#object(above) : undefined;
    const beyond = object === undefined ? above : object + 1;
    const steps: Step[] = [];
    const count = random.between(depth === 0 ? 1 : 0, STEPS_MAX - depth);
    for (let at = 0; at < count; at++) steps.push(this.#step(depth, `s${at}`, beyond));
    return { name, steps, ...keyed(object), ...(random.chance(0.1) && { fails: REFUSED }) };
  }

  /** @returns one of the programs that several callers request under the same key */
  shared(): Program {
    const random = this.#random;
    if (this.#shared.length === 0 || random.chance(0.3)) this.#shared.push(this.program(DEPTH_MAX, OBJECTS_MAX));
    return random.pick(this.#shared);
  }

  #step(depth: number, name: string, above: number): Step {
    const random = this.#random;
    const mayCall = depth < DEPTH_MAX && this.#drawn < PROGRAMS_MAX;
    const kind = random.weighted(mayCall ? STEPS : { ...STEPS, call: 0, send: 0, attach: 0, cancel: 0, all: 1 });
    switch (kind) {
      case "run":
      case "sleep":
      case "call":
        return this.#branch(kind, depth, name, above);
      case "all":
      case "race": {
        const kinds = random.weighted({ run: 2, sleep: 1, call: mayCall ? 3 : 0 });
        const count = random.between(2, 3);
        return {
          do: kind,
          branches: Array.from({ length: count }, (_, at) => this.#branch(kinds, depth, `${name}b${at}`, above)),
        };
      }
      case "send":
        if (random.chance(BRIEF_SHARE)) return { do: "send", delayMs: 0, ...this.#brief() };
        return { do: "send", delayMs: random.pick([0, 0, 400, 15_000]), ...this.#asked(depth, above) };
      case "attach":
        return { do: "attach", ...this.#asked(depth, above) };
      case "cancel":
        return { do: "cancel", of: this.sleeper(above, LONG_MS) };
      case "await":
        return { do: "await", by: random.pick(["child", "outside"]), name, refuses: random.chance(0.2) };
    }
  }

  #branch(kind: Branch["do"], depth: number, name: string, above: number): Branch {
    const random = this.#random;
    if (kind === "sleep") return { do: "sleep", ms: random.pick(SLEEPS_MS) };
    if (kind === "call") return { do: "call", ...this.#asked(depth, above) };
    return { do: "run", name, stumbles: random.chance(0.15) ? random.between(1, 2) : 0, refuses: random.chance(0.1) };
  }

  /** Draws a brief program under a key of its own, so that only a redo of its send uses the id of the invocation again. */
  #brief(): { readonly of: Program; readonly key: string } {
    const { name, steps } = this.program(DEPTH_MAX, OBJECTS_MAX);
    return { of: { name, steps, brief: true }, key: name };
  }

  #asked(depth: number, above: number): { readonly of: Program; readonly key?: string } {
    if (!this.#random.chance(0.2)) return { of: this.program(depth + 1, above) };
    const of = this.shared();
    return { of, key: of.name };
  }

  /** Draws a program that sleeps, and that ends when it is cancelled or killed. */
  sleeper(above = 0, ms = FOREVER_MS): Program {
    const object = this.#random.chance(this.#objectShare) ? this.#object(above) : undefined;
    const before = this.#random.chance(0.5) ? [this.#branch("run", DEPTH_MAX, "s0", above)] : [];
    return { name: `p${this.#drawn++}`, steps: [...before, { do: "sleep", ms }], ...keyed(object), yields: true };
  }

  /** Draws one of the first two possible objects, so that many programs compete for the same object. */
  #object(above: number): number | undefined {
    return above < this.#objects ? this.#random.between(above, Math.min(above + 1, this.#objects - 1)) : undefined;
  }
}

function keyed(object: number | undefined): { readonly object?: string } {
  return object === undefined ? {} : { object: `k${object}` };
}
