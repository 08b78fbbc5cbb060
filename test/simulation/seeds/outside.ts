/** The world outside of the control plane: the executions of closures, and the awakeables that they publish there. */
import { Ledger } from "../crash-points/ledger.ts";
import type { Part } from "./program.ts";

export type Told = NonNullable<Part["resolves"]>;

export class Outside {
  readonly ledger = new Ledger();
  /** Awakeables that the actor outside resolves, in the order of their publication; some are published twice. */
  readonly told: Told[] = [];
  /** Awakeables that the actor outside resolves only after `remind`. */
  #putOff: Told[] = [];
  #onTold: (told: Told) => void = () => {};

  /** Records one execution of a closure. @returns its token, and whether it fails this time */
  execute(invocationId: string, { name, stumbles }: { name: string; stumbles: number }) {
    const { token, count } = this.ledger.execute(invocationId, name);
    return { token, stumbles: count <= stumbles };
  }

  /** @param onTold called for each awakeable that is published from then on */
  listen(onTold: (told: Told) => void): void {
    this.#onTold = onTold;
  }

  /** Publishes the awakeable, from within the closure of a run. @returns the result of that closure */
  tell(awakeable: Told, isPutOff = false): string {
    if (isPutOff) this.#putOff.push(awakeable);
    else this.#hear(awakeable);
    return "";
  }

  remind(): void {
    for (const awakeable of this.#putOff.splice(0)) this.#hear(awakeable);
  }

  #hear(awakeable: Told): void {
    this.told.push(awakeable);
    this.#onTold(awakeable);
  }
}
