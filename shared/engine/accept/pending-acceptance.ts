/** The acceptance of a call until it is durable: written at once, or together with the first segment, or a moment later. */
import type { Acceptance } from "../../core/invocation/acceptance.ts";
import { accept } from "./accept.ts";
import { acceptanceItem, type Lease } from "../store/acceptance-record.ts";
import type { Engine } from "../engine.ts";
import type { UnderWay } from "../local/own-acceptance.ts";
import { keepUntilS } from "../store/ttl.ts";
import type { MessageHandle } from "../ports/queue.ts";
import { type Item, StoreError, type Write, type Written } from "../ports/table.ts";
import { sendWake } from "../messaging/wake.ts";
import { acceptanceWaitMs } from "../ports/store-ownership.ts";

/** An acceptance with a larger input is written at once, without a segment. */
const TOGETHER_MAX_BYTES = 16 * 1024;

/**
 * No other party has the new id before the answer, so the acceptance need not be durable before the first segment: one write
 * can make both durable, or neither (I1). If the handler takes longer than a moment, the acceptance is written alone meanwhile.
 * `durable` rejects with a StoreError if the id exists already.
 */
export class PendingAcceptance implements UnderWay {
  readonly #engine: Engine;
  readonly #acceptance: Acceptance;
  readonly #lease: Lease;
  #hasBegun = false;
  #resolve!: () => void;
  #reject!: (error: unknown) => void;
  /** Resolves when the acceptance is durable and the backstop is sent. */
  readonly durable: Promise<void>;
  /**
   * The backstop, undefined until it is sent. This message is due when the lease is over, and is recalled if the invocation ends
   * before that moment.
   */
  backstop: Promise<MessageHandle> | undefined;

  readonly #hasBackstop: boolean;

  /**
   * Begins the write at once, unless the settings and the acceptance itself allow the write to wait.
   * @param waitMs how long the write may wait; 0 if it may not
   * @param hasBackstop false for a child driven along, because a driver of the caller redoes the call if the acceptance is lost
   */
  constructor(
    engine: Engine,
    acceptance: Acceptance,
    lease: Lease,
    waitMs = acceptanceWaitMs(engine.settings),
    hasBackstop = true,
  ) {
    this.#engine = engine;
    this.#acceptance = acceptance;
    this.#lease = lease;
    this.#hasBackstop = hasBackstop;
    this.durable = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
    const isLarge = acceptance.input.length > TOGETHER_MAX_BYTES;
    if (waitMs === 0 || isLarge) this.hurry();
    else engine.activeInvocations.delayed.add(waitMs, () => this.hurry());
  }

  get waits(): boolean {
    return !this.#hasBegun;
  }

  /**
   * Puts the acceptance and the first segment in one transaction, if neither exists.
   * @param isLast true if nothing remains to be done after the segment, so that no backstop is needed
   * @param lock the write of a reserved lock, which names this acceptance (I6)
   */
  async putWith(segment: Item, isLast: boolean, lock?: Write): Promise<Written> {
    this.#hasBegun = true;
    const { settings, clock, table, meter } = this.#engine;
    const expiresAtS = keepUntilS(settings, this.#acceptance, clock.nowMs());
    const first = acceptanceItem(settings, this.#acceptance, this.#lease, expiresAtS);
    const puts = [first, segment].map((item): Write => ({ kind: "put", item, condition: { kind: "absent" } }));
    const writes = lock === undefined ? puts : [...puts, lock];
    try {
      if (!isLast) this.#sendBackstop();
      const [outcome] = await Promise.all([table.transact(writes), this.backstop]);
      if (!outcome.written)
        throw new StoreError(`an item of ${this.#acceptance.id} exists already, or its key is held`);
      meter.count("invocations_accepted_total", { source: this.#acceptance.source.kind });
      this.#resolve();
      return outcome;
    } catch (error) {
      this.#reject(error);
      throw error;
    }
  }

  /** Begins the write of the acceptance without a segment, unless it has begun. */
  hurry(): void {
    if (this.#hasBegun) return;
    this.#hasBegun = true;
    this.#sendBackstop();
    const accepted = accept(this.#engine, this.#acceptance, this.#lease).then(({ kind }) => {
      if (kind === "existing") throw existsAlready(this.#acceptance);
    });
    Promise.all([accepted, this.backstop]).then(() => this.#resolve(), this.#reject);
  }

  #sendBackstop(): void {
    if (this.#hasBackstop) this.backstop = sendWake(this.#engine, this.#acceptance, this.#engine.settings.leaseMs);
  }
}

/**
 * Another party may have accepted an invocation under the same derived id meanwhile. For example, the next reader of a partition
 * of a Kafka topic accepts a record of that partition again.
 */
function existsAlready({ id }: Acceptance): StoreError {
  return new StoreError(`an item of ${id} exists already`);
}
