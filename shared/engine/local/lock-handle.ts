/** The lock as the driver of its holder last read it. The functions of `lock/` own it; other layers read it. */
import type { Lock } from "../store/lock-record.ts";

export class LockHandle {
  #known: Lock | undefined;

  /** The lock as last read; undefined until the invocation is seen to hold it, and after the give-back. */
  get known(): Lock | undefined {
    return this.#known;
  }

  /** The invocation is seen to hold the lock. */
  grasp(lock: Lock): void {
    this.#known = lock;
  }

  /** Another process may change the lock from now on. */
  leave(): void {
    this.#known = undefined;
  }
}
