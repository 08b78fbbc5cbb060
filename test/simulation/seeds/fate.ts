/** The faults of a seed: their kinds, share and number are drawn from the seed. */
import type { Random } from "../random.ts";

export const MISHAPS = [
  /** The call fails and has no effect: the store throttles the call, or the call never arrives. */
  "refused",
  /** The call has its effect, and its caller gets an error. */
  "lost-reply",
  /** The caller gets an error, and the effect comes afterwards. */
  "late-effect",
  /** The call arrives twice, and the caller gets the answer to the second. */
  "sent-twice",
  /** The call takes seconds, perhaps longer than a lease. */
  "slow",
  /** The process dies before the call. */
  "dies-before",
  /** The process dies after the call, before the answer. */
  "dies-after",
  /** The process freezes, perhaps for longer than its lease, and then goes on: a zombie. */
  "freezes",
  /** A message is sent and never comes. */
  "message-lost",
  "message-twice",
  "message-late",
  /** The message comes a day later, when many of the items of its invocation have expired. */
  "message-day-late",
  /** Two more messages come, whose `wakeAtMs` is in the far future. */
  "message-of-future",
  /** The schedule is set and never fires. */
  "schedule-lost",
  /** The deployment's response breaks off in the middle. */
  "answer-cut",
  /** The deployment answers 503. */
  "answer-503",
] as const;
export type Mishap = (typeof MISHAPS)[number];

/** Faults of a whole seed. The file of each fault states the share of the seeds that get it. */
export const HARDSHIPS = [
  "throttled-table",
  "throttled-open",
  "throttled-list",
  "throttled-timers",
  /** The clock of one machine is wrong. */
  "skewed-clock",
  /** A process has read the poisoned invocation. Each read of this invocation ends the process that reads. */
  "poisoned",
  /** The sweeper rests for a week. */
  "sweeper-rest",
  /** A write reaches the indexes late. */
  "index-late",
  /** The read of an index fails, or takes long. */
  "index-fault",
  /** The machine of the sole owner is off for hours or weeks. */
  "machine-off",
  /** The disk is full, so a write fails. */
  "full-disk",
  /** All processes end, and all messages and timers are lost, as if only the table were restored. */
  "restored",
  /** The deployment is not registered for a while. */
  "unregistered",
  /** An operator pauses an open invocation. */
  "paused",
  /** The time of a function was over before its answer was there. */
  "time-is-up",
  /** A function ended in the middle of its work, because it had not answered long after its time was over. */
  "function-ended",
  /** A pass of the sweeper could not finish, and handed a part over as a slice. */
  "handed-over",
  /** A message went to the slow lane, because its service is slow. */
  "slow-lane",
  /** An item is deleted because its time to live is over. */
  "expired",
] as const;
export type Fault = Mishap | (typeof HARDSHIPS)[number];

type Kind = "index" | "read" | "write" | "lock" | "send" | "timer" | "receive" | "message" | "attempt";

const CALL: readonly Mishap[] = ["refused", "lost-reply", "slow", "dies-before", "dies-after", "freezes"];
const POSSIBLE: Readonly<Record<Kind, readonly Mishap[]>> = {
  index: ["refused", "slow", "dies-before", "freezes"],
  read: ["refused", "slow", "dies-before", "freezes"],
  write: [...CALL, "late-effect", "sent-twice"],
  lock: [...CALL, "late-effect", "sent-twice"],
  send: [...CALL, "message-lost", "message-twice", "message-late", "message-day-late", "message-of-future"],
  timer: [...CALL, "schedule-lost"],
  receive: ["lost-reply", "dies-after", "freezes"],
  message: CALL,
  attempt: [...CALL, "answer-cut", "answer-503"],
};

const MISHAPS_MAX = 25;
const DEATHS_MAX = 4;
/** Makes faults of lock writes more likely: there are few such writes, and their faults concern many invocations. */
const LOCK_WEIGHT = 5;
/** The calls of an index that may get a fault were chosen before. */
const INDEX_WEIGHT = 10;
/** Makes faults of schedules more likely: there are even fewer of them. */
const TIMER_WEIGHT = 10;
const WEIGHTS: Partial<Record<Kind, number>> = { lock: LOCK_WEIGHT, timer: TIMER_WEIGHT, index: INDEX_WEIGHT };
/** The share of the seeds without mishaps. If no other fault strikes such a seed, no closure may run twice. */
const CALM_SHARE = 0.05;

export class Fate {
  readonly #random: Random;
  readonly #kinds: ReadonlySet<Mishap>;
  readonly #share: number;
  #left: number;
  #deathsLeft = DEATHS_MAX;
  /** All faults so far. */
  readonly struck: Fault[] = [];

  constructor(random: Random) {
    this.#random = random;
    const isCalm = random.chance(CALM_SHARE);
    this.#kinds = new Set(isCalm ? [] : MISHAPS.filter(() => random.chance(0.5)));
    this.#share = random.pick([0.01, 0.03, 0.1]);
    this.#left = random.between(1, MISHAPS_MAX);
  }

  /** True if no more faults will strike. */
  get isOver(): boolean {
    return this.#left === 0;
  }

  /** Ends all faults. */
  end(): void {
    this.#left = 0;
  }

  /** @returns the fault of this call, if any */
  draw(kind: Kind): Mishap | undefined {
    const weight = WEIGHTS[kind] ?? 1;
    if (this.#left === 0 || !this.#random.chance(this.#share * weight)) return undefined;
    const possible = POSSIBLE[kind].filter((mishap) => this.#kinds.has(mishap) && this.#isAllowed(mishap));
    if (possible.length === 0) return undefined;
    const mishap = this.#random.pick(possible);
    this.#left--;
    if (mishap.startsWith("dies")) this.#deathsLeft--;
    this.struck.push(mishap);
    if (kind === "index") this.struck.push("index-fault");
    return mishap;
  }

  /** Records a fault that does not strike a single call. */
  note(fault: Fault): void {
    this.struck.push(fault);
  }

  #isAllowed(mishap: Mishap): boolean {
    return this.#deathsLeft > 0 || !mishap.startsWith("dies");
  }
}
