/** Draws the further programs of a wide seed: workflows with promises, signals, attaches by target, states of many sizes. */
import type { Random } from "../random.ts";
import type { Ask } from "./plan.ts";
import type { Program, Step, Values } from "./program.ts";

const ASKS_MAX = 3;
const WITHIN_MS = [50, 3_000, 40_000];
const SLEEPS_MS = [5, 2_000, 20_000, 70_000, 300_000];
const KINDS = { "attach-by": 3, signals: 2, promise: 2, remember: 2, sleep: 2, run: 2 };
/** The most signals of one sender: enough for indexes of one and of two digits. */
const SIGNALS_MAX = 14;
const VALUES_MAX = 16;
/** Names and values of state: most are small, a few are as large as the protocol allows. */
const NAME_BYTES = [4, 4, 40, 2_000, 60_000];
const VALUE_BYTES = [8, 8, 300, 5_000];
const STEPS_MAX = 4;

export function drawWidePlan(random: Random): readonly Ask[] {
  const drawing = new WideDrawing(random);
  const withinMs = random.pick(WITHIN_MS);
  return Array.from({ length: random.between(0, ASKS_MAX) }, () => {
    const program = drawing.program();
    const isKeyed = program.flow === undefined && random.chance(0.6);
    return {
      program,
      how: random.pick(["call", "send"] as const),
      atMs: random.between(0, withinMs),
      delayMs: random.pick([0, 0, 20_000]),
      ...(isKeyed && { key: program.name }),
    };
  });
}

class WideDrawing {
  readonly #random: Random;
  #drawn = 0;

  constructor(random: Random) {
    this.#random = random;
  }

  /** Draws a program of a service, of an object or of a workflow. */
  program(depth = 0): Program {
    const random = this.#random;
    const name = `w${this.#drawn++}`;
    const of = random.weighted({ service: 2, object: 2, flow: 2 });
    const keyed = of === "service" ? {} : of === "object" ? { object: `w${random.between(0, 1)}` } : { flow: name };
    const count = random.between(1, STEPS_MAX);
    const steps = Array.from({ length: count }, (_, at) => this.#step(`s${at}`, depth, of));
    return { name, steps, ...keyed };
  }

  #step(name: string, depth: number, of: "service" | "object" | "flow"): Step {
    const random = this.#random;
    // A holder waits for no other program, so that no deadlock occurs.
    const mayWait = depth < 1 && of !== "object";
    const kind = random.weighted({
      ...KINDS,
      ...(!mayWait && { "attach-by": 0, signals: 0 }),
      ...(of !== "flow" && { promise: 0 }),
      ...(of === "service" && { remember: 0 }),
    });
    switch (kind) {
      case "attach-by": {
        const sent = this.program(depth + 1);
        return { do: "attach-by", of: sent, ...(sent.flow === undefined && { key: sent.name }) };
      }
      case "signals": {
        const count = random.between(1, SIGNALS_MAX);
        return { do: "signals", of: { name: `w${this.#drawn++}`, steps: [{ do: "hear", count }] }, count };
      }
      case "promise":
        return { do: "promise", name };
      case "remember":
        return { do: "remember", name, values: this.#values() };
      case "sleep":
        return { do: "sleep", ms: random.pick(SLEEPS_MS) };
      case "run":
        return { do: "run", name, stumbles: random.chance(0.15) ? 1 : 0, refuses: false };
    }
  }

  #values(): Values {
    const random = this.#random;
    return {
      count: random.pick([1, 2, VALUES_MAX]),
      nameBytes: random.pick(NAME_BYTES),
      valueBytes: random.pick(VALUE_BYTES),
    };
  }
}
