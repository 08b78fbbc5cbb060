/** After a process that ended before its time: what it was driving is tried with care, and what ends processes is set aside. */
import type { InvocationId } from "../../core/model/ids.ts";
import { Turns } from "../bulkheads/at-most.ts";
import type { Clock } from "../ports/clock.ts";
import type { Delivery, Wake } from "../ports/queue.ts";
import type { Mark, Marks } from "./suspect-marks.ts";

/** So many suspects are tried at a time, until one of them ends the process. */
const TRIED_AT_ONCE = 32;
/** A suspect that has not ended the process by then waits for its deployment, and others are tried meanwhile. */
const HOLD_MS = 2_000;
/** A suspect that ended the process while it was tried alone is tried again behind all others. */
const PUT_OFF_MS = 10_000;

interface Trial {
  readonly mark: Mark;
  isMarked: boolean;
}

/**
 * A mark in the table says that an invocation is being loaded, or that its reply is being read. A mark that is found at the start
 * of a process was left by a process that ended meanwhile: many marks, and one of their invocations may be the cause. Each
 * of them is then tried alone, and one that ends two processes alone is paused before it is touched again.
 */
export class Suspects {
  readonly #clock: Clock;
  readonly #marks: Marks;
  readonly #found: ReadonlyMap<InvocationId, Mark>;
  readonly #bornAtMs: number;
  readonly #woken = new Set<InvocationId>();
  #isRecovered = false;
  readonly #passed = new Set<InvocationId>();
  readonly #trials = new Map<InvocationId, Trial>();
  readonly #together = new Turns(TRIED_AT_ONCE);
  readonly #alone = new Turns(1);

  /** @param found marks that the process before this one left */
  constructor(clock: Clock, marks: Marks, found: ReadonlyMap<InvocationId, Mark>) {
    this.#clock = clock;
    this.#marks = marks;
    this.#found = found;
    this.#bornAtMs = clock.nowMs();
  }

  /** The sweeper wakes it. At the start that means: the process before this one drove it when it ended. */
  note(id: InvocationId): void {
    if (!this.#isRecovered) this.#woken.add(id);
  }

  /** Everything that the process before this one drove is woken. */
  recovered(): void {
    this.#isRecovered = true;
  }

  /** A message that was received before and was not deleted was worked on when the process ended. */
  includes({ wake, receiveCount }: Pick<Delivery, "wake" | "receiveCount">): boolean {
    const { invocationId, sentAtMs } = wake;
    if (this.#passed.has(invocationId)) return false;
    if (this.#found.has(invocationId) || this.#woken.has(invocationId)) return true;
    return receiveCount > 1 && sentAtMs < this.#bornAtMs;
  }

  /** Does the work in its turn, under a mark. @throws what the work throws */
  async try({ invocationId: id }: Wake, work: () => Promise<void>): Promise<void> {
    if (this.#trials.has(id)) return await work();
    const found = this.#found.get(id);
    if (found !== undefined && found.deathsAlone > 0) await this.#clock.sleep(PUT_OFF_MS);
    const mark: Mark = { isAlone: found !== undefined, deathsAlone: found?.deathsAlone ?? 0 };
    const working = await (mark.isAlone ? this.#alone : this.#together).take(() => this.#held(id, mark, work));
    await working.over;
  }

  /** Its reply is about to be read: the mark stands until the reply is stored. Costs nothing for what is no suspect. */
  atReply(id: InvocationId): undefined | Promise<void> {
    const trial = this.#trials.get(id);
    return trial === undefined || trial.isMarked ? undefined : this.#mark(id, trial);
  }

  /** Its reply is stored: what it waits for now ends no process. */
  atRest(id: InvocationId): undefined | Promise<void> {
    const trial = this.#trials.get(id);
    return trial?.isMarked === true ? this.#unmark(id, trial) : undefined;
  }

  /** Resolves once the work is over, or rests. @returns the work, which may go on */
  async #held(id: InvocationId, mark: Mark, work: () => Promise<void>): Promise<{ readonly over: Promise<void> }> {
    const trial: Trial = { mark, isMarked: false };
    this.#trials.set(id, trial);
    await this.#mark(id, trial);
    const ended = new AbortController();
    const over = this.#toItsEnd(id, trial, work).finally(() => ended.abort());
    over.catch(() => undefined);
    const isHeldOut = await this.#clock.sleep(HOLD_MS, ended.signal);
    if (isHeldOut) await this.atRest(id);
    return { over };
  }

  async #toItsEnd(id: InvocationId, trial: Trial, work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } finally {
      this.#trials.delete(id);
      this.#passed.add(id);
      await this.#unmark(id, trial);
    }
  }

  async #mark(id: InvocationId, trial: Trial): Promise<void> {
    const isOnly = ![...this.#trials.values()].some(({ isMarked }) => isMarked);
    trial.isMarked = true;
    await this.#marks.put(id, { ...trial.mark, isAlone: trial.mark.isAlone && isOnly });
  }

  async #unmark(id: InvocationId, trial: Trial): Promise<void> {
    trial.isMarked = false;
    await this.#marks.delete(id);
  }
}
