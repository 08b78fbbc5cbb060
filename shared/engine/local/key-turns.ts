/** Turns at keys within a process: of drivers at the keys of objects, and of changes at the partitions of the registry. */
import { TransientMap } from "../../core/model/transient-map.ts";

export interface Turn {
  /** Lets the next ones in line begin. A second call has no effect. */
  leave(): void;
}

interface Waiting {
  readonly isAlone: boolean;
  readonly begin: () => void;
}

/** One key: either one party is there alone, or any number of parties are there together. */
class Line {
  isTakenAlone = false;
  together = 0;
  readonly waiting: Waiting[] = [];

  get isIdle(): boolean {
    return !this.isTakenAlone && this.together === 0 && this.waiting.length === 0;
  }

  mayBegin(isAlone: boolean): boolean {
    return !this.isTakenAlone && (!isAlone || this.together === 0);
  }

  begin(isAlone: boolean): void {
    if (isAlone) this.isTakenAlone = true;
    else this.together += 1;
  }

  end(isAlone: boolean): void {
    if (isAlone) this.isTakenAlone = false;
    else this.together -= 1;
    for (let next = this.waiting[0]; next !== undefined && this.mayBegin(next.isAlone); next = this.waiting[0]) {
      this.waiting.shift();
      this.begin(next.isAlone);
      next.begin();
    }
  }
}

/**
 * A reserved key is free in the table, so the driver that reserves it must be alone at the key. Parties that take the key or
 * queue for it in the table may be there together. All parties begin in the order in which they came (I6).
 */
export class KeyTurns {
  readonly #lines = new TransientMap<string, Line>();

  /** @param pk the partition of the key */
  alone(pk: string): Promise<Turn> {
    return this.#enter(pk, true);
  }

  /** @param pk the partition of the key */
  together(pk: string): Promise<Turn> {
    return this.#enter(pk, false);
  }

  async #enter(pk: string, isAlone: boolean): Promise<Turn> {
    const line = this.#lines.get(pk) ?? new Line();
    this.#lines.set(pk, line);
    if (line.waiting.length > 0 || !line.mayBegin(isAlone))
      await new Promise<void>((begin) => line.waiting.push({ isAlone, begin }));
    else line.begin(isAlone);
    let hasLeft = false;
    return {
      leave: () => {
        if (hasLeft) return;
        hasLeft = true;
        line.end(isAlone);
        if (line.isIdle) this.#lines.delete(pk);
      },
    };
  }
}
