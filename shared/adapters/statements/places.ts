/** Bounds how many statements run at a time, and how many wait. */
import { SqlError } from "../../engine/ports/sql.ts";

export interface PlaceLimits {
  readonly runningMax: number;
  readonly waitingMax: number;
}

interface Waiter {
  begin(): void;
  refuse(error: SqlError): void;
}

export class Places {
  readonly #limits: PlaceLimits;
  readonly #waiting = new Set<Waiter>();
  #running = 0;
  #isClosed = false;

  constructor(limits: PlaceLimits) {
    this.#limits = limits;
  }

  /**
   * Resolves when the statement has a place, which `leave` gives back.
   * @param waitMs the longest wait for a place
   * @throws SqlError `busy` if too many statements wait, no running statement ends in time, or the process stops; `gone`
   * if the signal aborts
   */
  async take(waitMs: number, signal?: AbortSignal): Promise<void> {
    if (this.#isClosed) throw stopping();
    if (signal?.aborted === true) throw gone();
    if (this.#running < this.#limits.runningMax) {
      this.#running += 1;
      return;
    }
    const { runningMax, waitingMax } = this.#limits;
    if (this.#waiting.size >= waitingMax) throw busy(`${runningMax} statements run and ${waitingMax} wait`);
    await this.#turn(waitMs, signal);
  }

  /** The statements that wait for a place. */
  get waiting(): number {
    return this.#waiting.size;
  }

  leave(): void {
    const [next] = this.#waiting;
    if (next === undefined) this.#running -= 1;
    else next.begin();
  }

  /** Refuses all waiting statements and all later ones. */
  close(): void {
    this.#isClosed = true;
    for (const waiter of this.#waiting) waiter.refuse(stopping());
  }

  #turn(waitMs: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const settle = (act: () => void): void => {
        this.#waiting.delete(waiter);
        clearTimeout(timer);
        signal?.removeEventListener("abort", leave);
        act();
      };
      const waiter: Waiter = {
        begin: () => settle(resolve),
        refuse: (error) => settle(() => reject(error)),
      };
      const leave = (): void => waiter.refuse(gone());
      const timer = setTimeout(() => waiter.refuse(busy(`no running statement ended in ${waitMs} ms`)), waitMs);
      signal?.addEventListener("abort", leave);
      this.#waiting.add(waiter);
    });
  }
}

function busy(why: string): SqlError {
  return new SqlError("busy", `statements are answered one after the other here, and ${why}; ask again later`);
}

export function stopping(): SqlError {
  return new SqlError("busy", "this process is stopping and answers no more statements; ask again when it has started");
}

export function gone(): SqlError {
  return new SqlError("gone", "the client has left before its statement was answered");
}
