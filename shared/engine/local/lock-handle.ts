/** The lock as the driver of its holder last read it. Only the functions of `lock/` change this memory; other layers read it. */
import type { Lock } from "../store/lock-record.ts";

export class LockHandle {
  #known: Lock | undefined;

  /** The lock as last read; undefined before a read has shown the invocation as its holder, and after the give-back. */
  get known(): Lock | undefined {
    return this.#known;
  }

  /** Takes note of a lock that the invocation holds. */
  remember(lock: Lock): void {
    this.#known = lock;
  }

  /** Another process may change the lock from now on. */
  forget(): void {
    this.#known = undefined;
  }
}
