/**
 * The lease of one driver, and the lease record as this driver last read or wrote it. The functions of `lease/` change the
 * handle; other layers read it, draw a ticket or set a timer.
 */
import type { Token } from "../../core/model/ids.ts";
import type { Lease } from "../store/acceptance-record.ts";
import type { LeaseRecord } from "../store/lease-record.ts";

/** A recovery has a lease handle, too. That handle contains the lease and the lease record that the load has read. */
export class LeaseHandle {
  #lease: Lease;
  #record: LeaseRecord | undefined;
  #ticket: number | undefined;
  #waitsAt: string | undefined;
  #timerAtMs: number | undefined;
  /** The token before a renewal with an unknown outcome: the stored lease record may still have it. */
  #uncertainToken: Token | undefined;
  #renewal: Promise<void> | undefined;
  #isLost = false;

  constructor(lease: Lease, record?: LeaseRecord) {
    this.#lease = lease;
    this.#record = record;
    this.#ticket = record?.ticket;
    this.#waitsAt = record?.waitsAt;
    this.#timerAtMs = record?.timerAtMs;
  }

  get token(): Token {
    return this.#lease.token;
  }

  /** The end of the lease; 0 once it is given up. */
  get untilMs(): number {
    return this.#lease.untilMs;
  }

  /** The tokens that the stored lease record may have: one, or two after a renewal with an unknown outcome. */
  get tokens(): readonly Token[] {
    return this.#uncertainToken === undefined ? [this.token] : [this.token, this.#uncertainToken];
  }

  /** The lease record as last read or written; undefined while there is none. */
  get record(): LeaseRecord | undefined {
    return this.#record;
  }

  /** The place in the queue of the key, if the invocation waits or has waited. */
  get ticket(): number | undefined {
    return this.#ticket;
  }

  /** The gate of a pool at which the invocation waits, or has waited before this driver took it up. */
  get waitsAt(): string | undefined {
    return this.#waitsAt;
  }

  /** A far moment for which a timer is set. */
  get timerAtMs(): number | undefined {
    return this.#timerAtMs;
  }

  /** A renewal under way: the next write of the lease record waits for it. */
  get renewal(): Promise<void> | undefined {
    return this.#renewal;
  }

  /** Another driver has the invocation: this driver discards its work. */
  get isLost(): boolean {
    return this.#isLost;
  }

  /** Takes the lease that the next write stores. */
  take(lease: Lease): void {
    this.#lease = lease;
  }

  /** Ends the lease. @param token the token of the write that parks or ends the invocation */
  giveUp(token: Token): void {
    this.#lease = { token, untilMs: 0 };
  }

  /** Notes the lease record that the table has now. */
  noteRecord(record: LeaseRecord): void {
    this.#record = record;
  }

  /** Called after the sweeper has extended the items; otherwise the driver would write the old `keepUntilS` back. */
  noteExtension(keepUntilS: number): void {
    if (this.#record !== undefined) this.#record = { ...this.#record, keepUntilS };
  }

  /** Every later lease record names the ticket. */
  drawTicket(ticket: number): void {
    this.#ticket = ticket;
  }

  /** Every later lease record names the gate; undefined once the invocation has passed it. */
  noteGate(waitsAt: string | undefined): void {
    this.#waitsAt = waitsAt;
  }

  /** Called after the ticket has been made void. */
  dropTicket(): void {
    this.#ticket = undefined;
  }

  /**
   * The driver calls this only after the timer exists, because a renewal may write the moment of the timer into the lease record
   * at any time.
   */
  setTimer(atMs: number): void {
    this.#timerAtMs = atMs;
  }

  lose(): void {
    this.#isLost = true;
  }

  /** Starts a renewal unless one is under way. @param renewal never rejects */
  startRenewal(renewal: () => Promise<void>): void {
    this.#renewal ??= renewal().finally(() => {
      this.#renewal = undefined;
    });
  }

  /**
   * Renews the lease by a write. After a failed write, the table may have the old token or the new one: the driver then accepts
   * both as its own, counts on the old end of the lease, and uses the new token again for the next renewal.
   * @param write the write, which gets both tokens
   * @returns the result of `write`
   * @throws the errors of `write`
   */
  async renewBy(
    untilMs: number,
    newToken: () => Token,
    write: (mine: readonly Token[]) => Promise<boolean>,
  ): Promise<boolean> {
    const before = this.#lease;
    const stored = this.#uncertainToken ?? before.token;
    const lease = { token: this.#uncertainToken === undefined ? newToken() : before.token, untilMs };
    this.#lease = lease;
    this.#uncertainToken = stored;
    try {
      const isKept = await write([stored, lease.token]);
      this.#uncertainToken = undefined;
      return isKept;
    } catch (error) {
      if (this.#lease === lease) this.#lease = { token: lease.token, untilMs: before.untilMs };
      throw error;
    }
  }
}
