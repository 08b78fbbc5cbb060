/** A budget that the whole process shares: lanes share it fairly, and one account at a time may go beyond its share. */
import type { Clock } from "../ports/clock.ts";

/** Replies, bodies and answers up to this size take no room of their budget, so that plain calls pay nothing. */
export const UNCOUNTED_BYTES = 16 * 1024;

export interface BudgetOptions {
  /** The most that all accounts hold together, except the one account that goes beyond its share. */
  readonly capacity: number;
  /** How long an account waits for room before it is refused. */
  readonly patienceMs: number;
  readonly clock: Clock;
}

interface Waiting {
  readonly account: Account;
  readonly amount: number;
  /** @param granted false if `patienceMs` pass or the account closes first */
  readonly answer: (granted: boolean) => void;
}

/**
 * A lane (a deployment, a connection) may hold at most as much as is still free. One lane that takes all it can get
 * therefore holds half of the capacity, two such lanes hold a third each, and a later lane always finds room. Switches
 * share a buffer between their ports in the same way (a dynamic threshold).
 *
 * An account that needs more than any share, such as one very large answer, may go beyond its share while no other
 * account does so; its own limit bounds it. Accounts therefore never wait for each other in a circle.
 */
export class Budget {
  readonly #options: BudgetOptions;
  readonly #lanes = new Map<string, number>();
  readonly #waiting = new Set<Waiting>();
  #used = 0;
  #peak = 0;
  #beyond: Account | undefined;
  #formerlyBeyond = "";

  constructor(options: BudgetOptions) {
    this.#options = options;
  }

  get capacity(): number {
    return this.#options.capacity;
  }

  /** The amount that all accounts hold now, the account beyond its share included. */
  get held(): number {
    return this.#used + (this.#beyond?.held ?? 0);
  }

  get waiting(): number {
    return this.#waiting.size;
  }

  /** The highest amount held since the last call. */
  takePeak(): number {
    const peak = this.#peak;
    this.#peak = this.held;
    return peak;
  }

  open(lane: string): Account {
    return new Account(this, lane);
  }

  /** Called by `Account` alone. @returns true if there is room at once */
  grow(account: Account, amount: number): true | Promise<boolean> {
    if (this.#grant(account, amount)) return true;
    const { clock, patienceMs } = this.#options;
    return new Promise((resolve) => {
      const over = new AbortController();
      const waiting: Waiting = {
        account,
        amount,
        answer: (granted) => {
          this.#waiting.delete(waiting);
          over.abort();
          resolve(granted);
        },
      };
      this.#waiting.add(waiting);
      void clock.sleep(patienceMs, over.signal).then((isOver) => isOver && waiting.answer(false));
    });
  }

  /** Called by `Account` alone. @returns false if there is no room at once */
  growAtOnce(account: Account, amount: number): boolean {
    return this.#grant(account, amount);
  }

  /** Called by `Account` alone. */
  shrink(account: Account, amount: number): void {
    if (this.#beyond !== account) this.#count(account.lane, -amount);
    else if (amount >= account.held) this.#beyond = undefined;
    for (const waiting of this.#waiting) {
      if (waiting.account === account && amount >= account.held) waiting.answer(false);
    }
    account.held -= amount;
    this.#serve();
  }

  #grant(account: Account, amount: number): boolean {
    if (this.#beyond !== account && !this.#fits(account.lane, amount)) {
      if (this.#beyond !== undefined) return false;
      this.#count(account.lane, -account.held);
      this.#beyond = account;
      this.#formerlyBeyond = account.lane;
    }
    if (this.#beyond !== account) this.#count(account.lane, amount);
    account.held += amount;
    this.#peak = Math.max(this.#peak, this.held);
    return true;
  }

  #fits(lane: string, amount: number): boolean {
    return (this.#lanes.get(lane) ?? 0) + amount <= this.#options.capacity - this.#used;
  }

  #count(lane: string, amount: number): void {
    this.#used += amount;
    const held = (this.#lanes.get(lane) ?? 0) + amount;
    if (held > 0) this.#lanes.set(lane, held);
    else this.#lanes.delete(lane);
  }

  /**
   * Serves the waiting accounts that fit. Then lets one account go beyond its share; the lane of the last such account
   * comes after all other lanes.
   */
  #serve(): void {
    for (const { account, amount, answer } of this.#waiting) {
      if ((account === this.#beyond || this.#fits(account.lane, amount)) && this.#grant(account, amount)) answer(true);
    }
    if (this.#beyond !== undefined || this.#waiting.size === 0) return;
    const waiting = [...this.#waiting];
    const next = waiting.find(({ account }) => account.lane !== this.#formerlyBeyond) ?? waiting[0]!;
    this.#grant(next.account, next.amount);
    next.answer(true);
  }
}

/** The part of a budget that one exchange, request or answer holds. */
export class Account {
  readonly lane: string;
  /** The budget updates this amount. */
  held = 0;
  readonly #budget: Budget;
  #isClosed = false;

  /** @param lane the party that shares the budget: all accounts of a lane together hold at most the share of one lane */
  constructor(budget: Budget, lane: string) {
    this.#budget = budget;
    this.lane = lane;
  }

  /** @returns true if there is room at once; else a promise, which is false if no room came in time */
  grow(amount: number): true | Promise<boolean> {
    if (this.#isClosed) return Promise.resolve(false);
    return this.#budget.grow(this, amount);
  }

  /** @returns false if there is no room at once */
  growAtOnce(amount: number): boolean {
    return !this.#isClosed && this.#budget.growAtOnce(this, amount);
  }

  /** Gives a part back. */
  shrink(amount: number): void {
    if (!this.#isClosed) this.#budget.shrink(this, Math.min(amount, this.held));
  }

  /** Gives everything back, and refuses calls that still wait for room on this account. */
  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#budget.shrink(this, this.held);
  }
}
