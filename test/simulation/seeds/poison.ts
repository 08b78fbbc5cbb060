/**
 * One invocation that ends processes: on a shared table, each that reads its partition; as the only owner of the store, each that makes
 * an attempt. The looks of such an owner at its open invocations load little, and nothing records them.
 */
import type { InvocationId } from "../../../shared/core/model/ids.ts";
import type { Endpoints } from "../../../shared/engine/ports/endpoints.ts";
import type { Table } from "../../../shared/engine/ports/table.ts";
import { exchangeOver } from "../in-process-endpoints.ts";
import type { Mortal } from "./mortal.ts";
import type { Ask } from "./plan.ts";
import type { Random } from "../random.ts";

/** The share of poisoned seeds among the seeds in which processes share a table. */
export const POISON_SHARE = 0.04;
/** The same share among the wide seeds in which one process owns the store alone. */
export const DEADLY_SHARE = 0.15;
/** The invocation is poisoned at most this long after its acceptance, while it sleeps. */
const POISONED_WITHIN_MS = 15_000;
const SLEEP_MS = 20_000;
const NAME = "poisoned";

const NEVER = new Promise<never>(() => {});

/** A send without a lock: no other invocation waits for the poisoned one, so all others must end. */
export function poisonedAsk(random: Random): Ask {
  const program = { name: NAME, steps: [{ do: "sleep", ms: SLEEP_MS }] } as const;
  return { program, key: NAME, how: "send", atMs: random.between(0, 5_000), delayMs: random.pick([0, 20_000]) };
}

export function isPoisoned(name: string): boolean {
  return name === NAME;
}

export class Poison {
  readonly #random: Random;
  readonly #onStrike: () => void;
  #id: InvocationId | undefined;
  #fromMs = Infinity;

  /** @param onStrike called for each process that dies because it read the invocation */
  constructor(random: Random, onStrike: () => void) {
    this.#random = random;
    this.#onStrike = onStrike;
  }

  /** Undefined before the invocation is chosen. */
  get id(): InvocationId | undefined {
    return this.#id;
  }

  /** Poisons an invocation that was just accepted. */
  take(id: InvocationId, nowMs: number): void {
    this.#id = id;
    this.#fromMs = nowMs + this.#random.between(0, POISONED_WITHIN_MS);
  }

  /** The attempts that are made after the invocation is poisoned end their process. */
  inAttempts(endpoints: Endpoints, mortal: Mortal): Endpoints {
    return {
      open: (request) => {
        const isSound = this.#isSound(request.headers["x-restate-invocation-id"], mortal);
        if (isSound) return endpoints.open(request);
        this.#onStrike();
        mortal.die();
        return exchangeOver(NEVER);
      },
    };
  }

  around(table: Table, mortal: Mortal): Table {
    return {
      ...table,
      query: (pk, range) => {
        if (this.#isSound(pk.replace("inv#", ""), mortal)) return table.query(pk, range);
        this.#onStrike();
        mortal.die();
        return NEVER;
      },
    };
  }

  #isSound(id: string | undefined, mortal: Mortal): boolean {
    return this.#id === undefined || id !== this.#id || mortal.clock().nowMs() < this.#fromMs;
  }
}
