/** The lock as the driver of its holder last read it. Only the functions of `lock/` change this memory; other layers read it. */
import type { InvocationId } from "../../core/model/ids.ts";
import type { Lock } from "../store/lock-record.ts";
import type { Turn } from "./key-turns.ts";

/** A free key that the driver uses, and whose lock in the table does not name the invocation yet. */
export interface Reservation {
  readonly pk: string;
  /** The lock in the table. */
  readonly free: Lock;
  /** No other party takes the key meanwhile. */
  readonly turn: Turn;
  /** Settles with the write that takes the lock; present from the beginning of the write on. */
  taking?: Promise<void>;
}

export interface GivenBack {
  /** The next holder, which still has to be woken. */
  readonly successor: InvocationId | undefined;
}

export class LockHandle {
  #known: Lock | undefined;
  #reservation: Reservation | undefined;
  #givenBack: GivenBack | undefined;
  #inLineFromMs: number | undefined;
  #hasPlace = false;
  #onPlace: (() => void) | undefined;
  /** True while the driver waits in memory for the key, with a ticket and a backstop. */
  waitsInLine = false;

  /** The lock as last read; undefined before a read has shown the invocation as its holder, and after the give-back. */
  get known(): Lock | undefined {
    return this.#known;
  }

  /** Present until the lock in the table names the invocation, or has been given back with the last segment. */
  get reservation(): Reservation | undefined {
    return this.#reservation;
  }

  /** Present if the last segment was written together with the give-back. */
  get givenBack(): GivenBack | undefined {
    return this.#givenBack;
  }

  /** True if the table may name the invocation as the holder, even if the driver has not read this. */
  get mayBeHeld(): boolean {
    return this.#known !== undefined || this.#inLineFromMs !== undefined;
  }

  /** When the driver began to wait for the key. */
  inLineFromMs(nowMs: number): number {
    return (this.#inLineFromMs ??= nowMs);
  }

  /**
   * Resolves when the table shows where the invocation stands at its key: it holds the lock, it has a ticket, or it has ended and
   * given the lock back. Never resolves if the driver stops before that.
   */
  whenPlaced(): Promise<void> | undefined {
    return this.#hasPlace ? undefined : new Promise((resolve) => (this.#onPlace = resolve));
  }

  /** The table contains the lock or the ticket of the invocation. */
  notePlace(): void {
    this.#hasPlace = true;
    this.#onPlace?.();
  }

  /** Takes note of a lock that the invocation holds. */
  remember(lock: Lock): void {
    this.#known = lock;
    this.notePlace();
  }

  /** Another process may change the lock from now on. */
  forget(): void {
    this.#known = undefined;
  }

  /** @param lock the lock as it will be in the table once the reserved key is taken */
  reserve(reservation: Reservation, lock: Lock): void {
    this.#reservation = reservation;
    this.#known = lock;
  }

  /** The table names the invocation as the holder; the next party gets its turn. */
  noteTaken(lock: Lock): void {
    this.remember(lock);
    this.leave();
  }

  /** The table has the last segment and the lock as given back. @param successor the next holder */
  noteGivenBack(successor: InvocationId | undefined): void {
    this.#known = undefined;
    this.#givenBack = { successor };
    this.notePlace();
    this.leave();
  }

  /** Ends the turn of a reserved key, at once or after the write under way, whatever has become of the lock. */
  leave(): void {
    const { turn, taking } = this.#reservation ?? {};
    this.#reservation = undefined;
    if (turn === undefined) return;
    const leave = () => turn.leave();
    if (taking === undefined) leave();
    else void taking.then(leave, leave);
  }
}
