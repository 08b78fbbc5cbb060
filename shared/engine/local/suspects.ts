/** Tries the invocations that may have ended the previous process: few at a time, or alone, and with a mark. */
import type { InvocationId } from "../../core/model/ids.ts";
import { Turns } from "../bulkheads/at-most.ts";
import type { Clock } from "../ports/clock.ts";
import type { Delivery, Wake } from "../ports/queue.ts";
import { DAY_S } from "../../core/model/time-units.ts";
import { sweeperPk } from "../store/item-keys.ts";
import { readPartition } from "../store/read-partition.ts";
import type { EngineSettings } from "../ports/engine-settings.ts";
import type { Key, Table } from "../ports/table.ts";

/** The number of suspects that are tried at a time, unless a mark shows that they must be tried alone. */
const TRIED_AT_ONCE = 32;
/** If a suspect has not ended the process after this time, it probably waits for its deployment, and the next may start. */
const HOLD_MS = 2_000;
/**
 * If a process ended while a suspect was tried alone, the suspect waits this long, so that the other suspects are in line
 * before it. The wait is short, because the suspect may be harmless, and its caller waits as well.
 */
const PUT_OFF_MS = 4_000;

interface Trial {
  readonly mark: Mark;
  isMarked: boolean;
}

/**
 * A mark in the table means that a suspect is being loaded, or that its reply is being read. If a process finds marks at its
 * start, the previous process has ended, and one of the marked invocations may be the cause. Each of them is then tried
 * alone. If an invocation ends two processes while it is tried alone, it is paused before it is driven again.
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

  /** @param found the marks of the previous process */
  constructor(clock: Clock, marks: Marks, found: ReadonlyMap<InvocationId, Mark>) {
    this.#clock = clock;
    this.#marks = marks;
    this.#found = found;
    this.#bornAtMs = clock.nowMs();
  }

  /**
   * Called when the sweeper wakes the invocation. At the start of this process, such a wake means that the previous process
   * drove the invocation when that process ended.
   */
  note(id: InvocationId): void {
    if (!this.#isRecovered) this.#woken.add(id);
  }

  /** Called once the sweeper has woken all invocations of the previous process. */
  recovered(): void {
    this.#isRecovered = true;
  }

  /** True if the message's invocation is a suspect: by a mark, by the sweeper, or because an earlier process got the message. */
  includes({ wake, receiveCount }: Pick<Delivery, "wake" | "receiveCount">): boolean {
    const { invocationId, sentAtMs } = wake;
    if (this.#passed.has(invocationId)) return false;
    if (this.#found.has(invocationId) || this.#woken.has(invocationId)) return true;
    return receiveCount > 1 && sentAtMs < this.#bornAtMs;
  }

  /** True while the invocation is tried, alone or with others. */
  isTrying(id: InvocationId): boolean {
    return this.#trials.has(id);
  }

  /** Does the work when it is its turn, with a mark in the table. @throws the errors of the work */
  async try({ invocationId: id }: Wake, work: () => Promise<void>): Promise<void> {
    if (this.#trials.has(id)) return await work();
    const found = this.#found.get(id);
    if (found !== undefined && found.deathsAlone > 0) await this.#putOff(id, found);
    const mark: Mark = { isAlone: found !== undefined, deathsAlone: found?.deathsAlone ?? 0, putOffs: 0 };
    const working = await (mark.isAlone ? this.#alone : this.#together).take(() => this.#held(id, mark, work));
    await working.over;
  }

  /**
   * Called before a reply is read. Sets the mark until the reply is stored. For an invocation that is no suspect, this costs
   * nothing.
   */
  atReply(id: InvocationId): undefined | Promise<void> {
    const trial = this.#trials.get(id);
    return trial === undefined || trial.isMarked ? undefined : this.#mark(id, trial);
  }

  /** Called once the reply is stored. Removes the mark, because a waiting invocation cannot end the process. */
  atRest(id: InvocationId): undefined | Promise<void> {
    const trial = this.#trials.get(id);
    return trial?.isMarked === true ? this.#unmark(id, trial) : undefined;
  }

  async #putOff(id: InvocationId, { deathsAlone, putOffs }: Mark): Promise<void> {
    await this.#marks.put(id, { isAlone: false, deathsAlone, putOffs: putOffs + 1 });
    await this.#clock.sleep(PUT_OFF_MS);
  }

  /** Resolves when the work ends, or after `HOLD_MS`. @returns the work, which may go on */
  async #held(id: InvocationId, mark: Mark, work: () => Promise<void>): Promise<{ readonly over: Promise<void> }> {
    const trial: Trial = { mark, isMarked: false };
    this.#trials.set(id, trial);
    try {
      await this.#mark(id, trial);
    } catch (error) {
      // Nothing is tried without a mark. The message comes again, and must find no trial of a work that never began.
      this.#trials.delete(id);
      throw error;
    }
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
    // Set before the write, so that the trials that begin meanwhile do not count as the only one.
    trial.isMarked = true;
    try {
      await this.#marks.put(id, { ...trial.mark, isAlone: trial.mark.isAlone && isOnly });
    } catch (error) {
      trial.isMarked = false;
      throw error;
    }
  }

  async #unmark(id: InvocationId, trial: Trial): Promise<void> {
    trial.isMarked = false;
    await this.#marks.delete(id);
  }
}

const LIFE_SK = "life";
const MARK = "suspect#";
/** A mark expires by itself, in case no process reads it any more. */
const KEPT_S = DAY_S;
/**
 * If this many processes in a row died while they had put the invocation off, their deaths had another cause. The deaths in
 * `deathsAlone` then probably had another cause too, so `deathsAlone` becomes 0.
 */
const PUT_OFFS_MAX = 3;
const ALL_MARKS = { from: MARK, below: "suspect$" };

export interface Mark {
  /** The invocation is tried alone. */
  readonly isAlone: boolean;
  /** How many processes in a row have ended while they tried the invocation alone. */
  readonly deathsAlone: number;
  /** How many processes in a row have ended while they had put the invocation off; their deaths have another cause. */
  readonly putOffs: number;
}

/** The parts of the engine that marks need. */
export interface MarksGround {
  readonly table: Table;
  readonly clock: Clock;
  readonly settings: EngineSettings;
}

/** The marks of suspects in the table, and the item by which a process finds that the previous one did not end cleanly. */
export class Marks {
  readonly #table: Table;
  readonly #clock: Clock;
  readonly #pk: string;

  constructor({ table, clock, settings }: MarksGround) {
    this.#table = table;
    this.#clock = clock;
    this.#pk = sweeperPk(settings.keyPrefix);
  }

  /** Resolves when the mark is durable. */
  async put(id: InvocationId, { isAlone, deathsAlone, putOffs }: Mark): Promise<void> {
    const expiresAtS = Math.ceil(this.#clock.nowMs() / 1000) + KEPT_S;
    await this.#table.put({ ...this.#keyOf(id), isAlone, deathsAlone, putOffs, expiresAtS });
  }

  async delete(id: InvocationId): Promise<void> {
    await this.#table.delete(this.#keyOf(id));
  }

  /**
   * Reads the marks that the previous process left. If that process tried an invocation alone, the returned
   * mark also counts the death of that process in `deathsAlone`; the stored mark does not.
   */
  async left(): Promise<ReadonlyMap<InvocationId, Mark>> {
    const marks = new Map<InvocationId, Mark>();
    for (const { sk, isAlone, deathsAlone, putOffs } of await readPartition(this.#table, this.#pk, ALL_MARKS)) {
      const id = sk.slice(MARK.length) as InvocationId;
      const spared = Number(putOffs);
      const deaths = spared < PUT_OFFS_MAX ? Number(deathsAlone) + (isAlone === true ? 1 : 0) : 0;
      marks.set(id, { isAlone: isAlone === true, deathsAlone: deaths, putOffs: spared % PUT_OFFS_MAX });
    }
    return marks;
  }

  /** @returns whether the previous process has ended without `endLife` */
  async beginLife(): Promise<boolean> {
    const key = { pk: this.#pk, sk: LIFE_SK };
    const put = await this.#table.put(key, { kind: "absent" });
    return !put.written;
  }

  async endLife(): Promise<void> {
    await this.#table.delete({ pk: this.#pk, sk: LIFE_SK });
  }

  #keyOf(id: InvocationId): Key {
    return { pk: this.#pk, sk: MARK + id };
  }
}
