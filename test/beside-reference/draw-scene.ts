/** Draws the scene of a seed: a program, how it starts, and what happens to it from outside. */
import { Random } from "../simulation/random.ts";
import {
  DEPTH_MAX,
  PROGRAMS_MAX,
  STEPS_MAX,
  SLEEPS_MS,
  REFUSALS,
  VALUES,
  STATE_KEYS,
  PROMISES,
  WEIGHTS,
} from "./drawn-values.ts";
import {
  type Act,
  type Branch,
  type Combination,
  KINDS,
  type On,
  type Program,
  type Refusal,
  type Scene,
  type Step,
} from "./program.ts";

export function drawScene(seed: number): Scene {
  const random = new Random(seed);
  const kind = KINDS[seed % KINDS.length]!;
  return new Drawing(random).scene(kind);
}

class Drawing {
  readonly #random: Random;
  #drawn = 0;
  /** A program with a hold waits for an operator, who comes once. */
  #holds = false;
  /** The reference server also kills what a killed invocation has sent, contrary to its documentation (docs/compatibility.md). */
  #sends = false;

  constructor(random: Random) {
    this.#random = random;
  }

  scene(kind: Scene["kind"]): Scene {
    const random = this.#random;
    const root = this.#program(0, true);
    const starts = random.weighted({ call: 4, send: 2, "send-later": 1 });
    const mayRestart = !this.#holds && random.chance(0.3);
    return {
      kind,
      root: mayRestart ? { ...root, steps: this.#withMark(root.steps) } : root,
      starts,
      ...(root.on !== "workflow" && !this.#holds && random.chance(0.2) && { twice: true as const }),
      ...(mayRestart && { restartsFrom: random.pick(["input", "mark", "mark"] as const) }),
    };
  }

  /** No step before the mark puts the root's own id into a command, because the restarted root has another id. */
  #withMark(steps: readonly Step[]): Step[] {
    const own = steps.findIndex(hasOwnId);
    const at = this.#random.between(0, own === -1 ? steps.length : own);
    return [...steps.slice(0, at), { do: "mark" }, ...steps.slice(at)];
  }

  /** @param awaited whether the root waits for the program, so that the operator may come to it before the root has ended */
  #program(depth: number, awaited: boolean): Program {
    const random = this.#random;
    const name = `p${this.#drawn++}`;
    const on = random.weighted<On>({ service: 4, object: 3, workflow: 2 });
    const frail = on !== "workflow" && random.chance(0.15);
    const weights = {
      ...WEIGHTS,
      ...(on !== "service" && { state: 8 }),
      ...(on === "workflow" && { promise: 6 }),
      ...(frail && { odd: 1.5, throw: 2 }),
      ...((depth >= DEPTH_MAX || this.#drawn >= PROGRAMS_MAX) && { call: 0, send: 0, cancel: 0 }),
      ...(!awaited && { hold: 0 }),
    };
    const steps: Step[] = [];
    const count = random.between(depth === 0 ? 1 : 0, STEPS_MAX[depth]!);
    for (let at = 0; at < count; at++) steps.push(this.#step(weights, depth, on, frail, awaited));
    return {
      name,
      on,
      ...(on !== "service" && { key: name }),
      handler: frail ? "frail" : "play",
      steps,
      ...(random.chance(0.3) && { outlives: true as const }),
    };
  }

  #step(weights: typeof WEIGHTS, depth: number, on: On, frail: boolean, awaited: boolean): Step {
    const random = this.#random;
    const kind = random.weighted(weights);
    switch (kind) {
      case "run":
        return this.#run(true);
      case "sleep":
        return { do: "sleep", ms: random.pick(SLEEPS_MS) };
      case "call":
        return this.#call(depth, awaited);
      case "send":
        return this.#send(depth, awaited);
      case "awakeable":
      case "signal":
        return this.#completed(kind);
      case "combine":
        return this.#combine(depth);
      case "timeout":
        return { do: "timeout", of: this.#never(), ms: random.pick([1, 5, 20]) };
      case "cancel":
        return { do: "cancel", of: this.#waiter() };
      case "state":
        return this.#state();
      case "promise":
        return {
          do: "promise",
          what: random.pick(["get", "get", "peek", "resolve", "reject"] as const),
          name: random.pick(PROMISES),
          value: random.pick(["", "kept"]),
        };
      case "throw":
      case "cut":
        return { do: kind, times: random.between(1, frail && kind === "throw" ? 4 : 2) };
      case "refuse":
        return { do: "refuse", with: random.pick(REFUSALS) };
      case "random":
        return { do: "random" };
      case "hold":
        return this.#hold();
      case "odd":
        return this.#odd(on, frail);
    }
  }

  #odd(on: On, frail: boolean): Step {
    const random = this.#random;
    if (!frail) return { do: "random" };
    if (random.chance(0.4)) return { do: "callNobody" };
    return {
      do: "giveBigint",
      to: random.pick(on === "service" ? (["run", "call"] as const) : (["run", "call", "state"] as const)),
    };
  }

  #run(mayStumble: boolean): Branch {
    const random = this.#random;
    const attemptsMax = mayStumble && random.chance(0.15) ? random.between(1, 3) : undefined;
    return {
      do: "run",
      gives: random.pick(VALUES),
      ...(mayStumble && random.chance(0.25) && { stumbles: random.between(1, 3) }),
      ...(attemptsMax !== undefined && { attemptsMax }),
      ...(random.chance(0.15) && { refuses: random.pick(REFUSALS) }),
    };
  }

  #call(depth: number, awaited: boolean): Branch {
    const of = this.#program(depth + 1, awaited);
    return { do: "call", of, ...(of.on !== "workflow" && this.#random.chance(0.2) && { key: of.name }) };
  }

  #send(depth: number, awaited: boolean): Step {
    const random = this.#random;
    this.#sends = true;
    const attaches = random.chance(0.4);
    const of = this.#program(depth + 1, attaches && awaited);
    const key = of.on !== "workflow" && random.chance(0.2) ? { key: of.name } : {};
    return {
      do: "send",
      of,
      delayMs: random.pick([0, 0, 1, 50]),
      ...key,
      ...(attaches && { attaches: true as const }),
    };
  }

  #completed(kind: "awakeable" | "signal"): Branch {
    const random = this.#random;
    return { do: kind, gives: random.pick(VALUES), ...(random.chance(0.3) && { rejects: random.pick(REFUSALS) }) };
  }

  /**
   * Which branch comes first must not depend on time: a combination that does not wait for all has one branch that completes, and
   * one that waits for the first success may have only failures.
   */
  #combine(depth: number): Step {
    const random = this.#random;
    const how = random.pick<Combination>(["all", "race", "any", "allSettled"]);
    const others = random.between(1, 2);
    if (how === "all" || how === "allSettled") {
      const refusing = how === "allSettled" ? 0.3 : 0;
      return { do: how, of: Array.from({ length: others + 1 }, () => this.#quick(depth, random.chance(refusing))) };
    }
    if (how === "any" && random.chance(0.3))
      return { do: how, of: Array.from({ length: others + 1 }, () => this.#refusing()) };
    const nevers = Array.from({ length: others }, () => this.#never());
    const at = random.between(0, nevers.length);
    return {
      do: how,
      of: [...nevers.slice(0, at), this.#quick(depth, how === "race" && random.chance(0.3)), ...nevers.slice(at)],
    };
  }

  #quick(depth: number, refuses: boolean): Branch {
    const random = this.#random;
    const mayCall = depth < DEPTH_MAX && this.#drawn < PROGRAMS_MAX;
    const kind = random.weighted({ run: 4, sleep: refuses ? 0 : 1, awakeable: 1, signal: 1, call: mayCall ? 1 : 0 });
    const refusal = random.pick(REFUSALS);
    const gives = random.pick(VALUES);
    switch (kind) {
      case "run":
        return { do: "run", gives, ...(refuses && { refuses: refusal }) };
      case "sleep":
        return { do: "sleep", ms: random.pick(SLEEPS_MS) };
      case "call":
        return { do: "call", of: this.#callee(refuses ? refusal : undefined) };
      case "awakeable":
      case "signal":
        return { do: kind, gives, ...(refuses && { rejects: refusal }) };
    }
  }

  #refusing(): Branch {
    const { gives } = this.#completed("signal") as { gives: unknown };
    return { do: this.#random.pick(["awakeable", "signal"] as const), gives, rejects: this.#random.pick(REFUSALS) };
  }

  #callee(refusal: Refusal | undefined): Program {
    const steps: Step[] = [
      { do: "run", gives: this.#random.pick(VALUES) },
      ...(refusal === undefined ? [] : [{ do: "refuse", with: refusal } as const]),
    ];
    return { name: `p${this.#drawn++}`, on: "service", handler: "play", steps };
  }

  #never(): Branch {
    return { do: "never", how: this.#random.pick(["sleep", "awakeable", "signal"] as const) };
  }

  #waiter(): Program {
    const random = this.#random;
    const name = `p${this.#drawn++}`;
    const on = random.pick<On>(["service", "object"]);
    const before = Array.from({ length: random.between(0, 2) }, () => this.#run(false));
    return {
      name,
      on,
      ...(on === "object" && { key: name }),
      handler: "play",
      steps: [...before, this.#never()],
      ...(random.chance(0.5) && { outlives: true as const }),
    };
  }

  #state(): Step {
    const random = this.#random;
    const key = random.pick(STATE_KEYS);
    switch (random.weighted({ get: 4, set: 5, clear: 2, clearAll: 1, keys: 2 })) {
      case "get":
        return { do: "get", key };
      case "set":
        return { do: "set", key, value: random.pick(VALUES) };
      case "clear":
        return { do: "clear", key };
      case "clearAll":
        return { do: "clearAll" };
      case "keys":
        return { do: "keys" };
    }
  }

  #hold(): Step {
    const random = this.#random;
    this.#holds = true;
    const on = random.pick(["awakeable", "sleep", "signal"] as const);
    const acts: readonly Act[] =
      on === "awakeable" ? ["resolve", "resolve", "reject", "cancel", "kill"] : ["cancel", "cancel", "kill"];
    return { do: "hold", on, act: random.pick(this.#sends ? acts.filter((act) => act !== "kill") : acts) };
  }
}

function hasOwnId(step: Step): boolean {
  if (step.do === "awakeable" || step.do === "signal" || step.do === "cancel") return true;
  return "of" in step && Array.isArray(step.of) && (step.of as readonly Branch[]).some(hasOwnId);
}
