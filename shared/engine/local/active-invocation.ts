/** The memory of a driver about the invocation that it advances: the invocation, and parts with one owner each. */
import type { Poll } from "../../core/invocation/event.ts";
import type { Invocation } from "../../core/invocation/invocation.ts";
import { journalBytes } from "../../core/invocation/journal.ts";
import type { Segment } from "../../core/invocation/segment.ts";
import type { InvocationId } from "../../core/model/ids.ts";
import { JournalRoom } from "../admission/journal-room.ts";
import type { Bulkheads } from "../bulkheads/bulkheads.ts";
import { HeldPlaces } from "./held-places.ts";
import type { Inbox } from "./inbox.ts";
import type { LeaseHandle } from "./lease-handle.ts";
import { LockHandle } from "./lock-handle.ts";
import { OpenAttempt } from "./open-attempt.ts";
import type { OwnAcceptance } from "./own-acceptance.ts";

/** The caller whose driver also drives this invocation and takes the result from memory. */
export interface InlineCaller {
  readonly active: ActiveInvocation;
  readonly completionId: number;
}

/** How the driver came to the invocation. */
export interface DriverOrigin {
  /** True if a message started the driver and comes again as its backstop; an ingress driver has no such message (I4). */
  readonly messageDriven: boolean;
  /** 0 for an invocation that a request or a message started, 1 for its children, and so on. */
  readonly depth: number;
  readonly caller?: InlineCaller;
  /** The message came through the main lane of the queue, which slow services must leave. */
  readonly inMainLane?: boolean;
  /** The journal's part of the budget of journals, for an invocation that a message started. */
  readonly journalRoom?: JournalRoom;
  /** True if an open circuit allows the first attempt of this driver, as a probe. */
  readonly mayProbe?: boolean;
}

export class ActiveInvocation {
  readonly id: InvocationId;
  readonly pk: string;
  readonly origin: DriverOrigin;
  readonly lease: LeaseHandle;
  readonly inbox: Inbox;
  readonly lock = new LockHandle();
  readonly places = new HeldPlaces();
  readonly children = new Children();
  readonly attempt: OpenAttempt;
  /** Present if the driver's own process has accepted the invocation. */
  readonly ownAcceptance: OwnAcceptance | undefined;
  #invocation: Invocation;
  #writes = 0;
  #performedIndex: number | undefined;
  #isStopping = false;
  #ownRoom: JournalRoom | undefined;

  constructor(
    pk: string,
    invocation: Invocation,
    { lease, inbox }: { readonly lease: LeaseHandle; readonly inbox: Inbox },
    origin: DriverOrigin,
    ownAcceptance?: OwnAcceptance,
  ) {
    this.id = invocation.acceptance.id;
    this.pk = pk;
    this.#invocation = invocation;
    this.lease = lease;
    this.inbox = inbox;
    this.origin = origin;
    this.attempt = new OpenAttempt(origin.mayProbe);
    this.ownAcceptance = ownAcceptance;
  }

  get invocation(): Invocation {
    return this.#invocation;
  }

  /** Only the driver calls this, after its decision. */
  advanceTo(next: Invocation): void {
    this.#invocation = next;
  }

  /** The question of this driver what to do next. */
  poll(atMs: number): Poll {
    const { arrivals, rest } = this.inbox;
    const holdsLock = this.lock.known !== undefined;
    return { kind: "poll", atMs, arrivals: [...arrivals.values()], isCut: rest !== undefined, holdsLock };
  }

  /** @returns false if the next load needs more room than this driver has: for the journal, or for arrivals that it left out */
  hasRoomToAttempt(bulkheads: Bulkheads): boolean {
    const leavesArrivals = this.inbox.rest !== undefined && this.origin.journalRoom === undefined;
    return !leavesArrivals && this.hasJournalRoom(bulkheads);
  }

  /** @returns false if the journal has outgrown its room: the driver parks, and the next load waits for room */
  hasJournalRoom(bulkheads: Bulkheads): boolean {
    const sizeBytes = journalBytes(this.#invocation.journal);
    return sizeBytes <= bulkheads.journalsCountedFromBytes || this.#roomIn(bulkheads).holds(sizeBytes);
  }

  /** @returns false if the budget of journals has no room now for the state that a request carries in addition to the journal */
  hasStateRoom(bulkheads: Bulkheads, sizeBytes: number): boolean {
    return sizeBytes <= bulkheads.journalsCountedFromBytes || this.#roomIn(bulkheads).holdsState(sizeBytes);
  }

  /** The room of the message, or else of this driver. */
  #roomIn(bulkheads: Bulkheads): JournalRoom {
    const { service } = this.#invocation.acceptance.target;
    return this.origin.journalRoom ?? (this.#ownRoom ??= new JournalRoom(bulkheads, service));
  }

  /** Gives back the room that the driver itself has taken. */
  leaveJournalRoom(): void {
    this.#ownRoom?.close();
  }

  /** The index of the last segment whose effects this driver has performed. */
  get performedIndex(): number | undefined {
    return this.#performedIndex;
  }

  /** Called once the effects of a segment are performed (I2). */
  notePerformed({ index }: Segment): void {
    this.#performedIndex = index;
  }

  /** Writes made since the last segment. */
  get writes(): number {
    return this.#writes;
  }

  countWrite(): void {
    this.#writes++;
  }

  /** Called after the write of a segment, which contains the count. */
  forgetWrites(): void {
    this.#writes = 0;
  }

  /** True if the driver is to park at its next opportunity. */
  get isStopping(): boolean {
    return this.#isStopping;
  }

  /**
   * Asks the driver to park: ends the exchange, and a wait of the driver.
   * @param leavesAtMs the present moment, with which an exchange that only waits is half-closed, not aborted; if undefined, any
   *   exchange is aborted
   */
  stop(leavesAtMs?: number): void {
    this.#isStopping = true;
    if (leavesAtMs === undefined || !this.attempt.leave(leavesAtMs)) this.attempt.letGo("stopping");
    this.inbox.interrupt();
  }

  /** The driver parks after this attempt, whose exchange is half-closed before the time of the process is up. */
  leaveInTime(): void {
    this.#isStopping = true;
  }

  /** Another driver has the invocation: aborts the exchange, and ends a wait of this driver. */
  lose(): void {
    this.lease.lose();
    this.attempt.letGo("lost");
    this.inbox.interrupt();
  }
}

/** The driver at the top of a chain of calls driven along. */
export function rootOf(active: ActiveInvocation): ActiveInvocation {
  const { caller } = active.origin;
  return caller === undefined ? active : rootOf(caller.active);
}

/** The most calls of one invocation that are driven along at a time. */
const CHILDREN_MAX = 32;

interface Child {
  readonly invocation: Invocation;
  readonly ownAcceptance: OwnAcceptance | undefined;
}

const NONE: ReadonlySet<number> = new Set();

/** The collections are made for the first call, because most invocations make no call. */
class Children {
  #driven: Map<number, Child> | undefined;
  #parked: Set<number> | undefined;
  /** Calls that are no longer driven, and whose acceptance is not known to be durable. */
  #leftUnsettled: Child[] | undefined;

  /** The calls that are driven along now. */
  get size(): number {
    return this.#driven?.size ?? 0;
  }

  /** The number of further calls that the driver can drive along. */
  get room(): number {
    return CHILDREN_MAX - this.size;
  }

  /** The completion ids of calls that have parked. Their wakes are set, so this driver sends no message for them. */
  get parked(): ReadonlySet<number> {
    return this.#parked ?? NONE;
  }

  /** The calls that are driven along now. */
  all(): readonly Child[] {
    return this.#driven === undefined ? [] : [...this.#driven.values()];
  }

  /** The completion ids of the calls that are driven along now. */
  get driven(): Iterable<number> {
    return this.#driven?.keys() ?? [];
  }

  /**
   * Begins the writes of the acceptances that still wait to be written together with the first segment of their call. The
   * driver waits for these writes before it writes the next segment or the park of the calling invocation, because a redo
   * accepts only the calls of the last segment (I2).
   * @returns undefined if all are durable. @throws the error with which one failed
   */
  settle(): Promise<unknown> | undefined {
    if (this.#driven === undefined) return undefined;
    const children = [...this.#driven.values(), ...(this.#leftUnsettled ?? [])];
    const waiting = children.flatMap(({ ownAcceptance }) => ownAcceptance?.hurry() ?? []);
    return waiting.length === 0 ? undefined : Promise.all(waiting);
  }

  /**
   * As `settle`, for calls that are no longer driven. If the write of an acceptance failed, the call may not exist in the table,
   * so the calling invocation must not wait for it.
   */
  settleLeft(): Promise<unknown> | undefined {
    const left = this.#leftUnsettled;
    if (left === undefined) return undefined;
    const waiting = left.flatMap(({ ownAcceptance }) => ownAcceptance?.hurry() ?? []);
    return Promise.all(waiting).then(() => {
      if (this.#leftUnsettled === left) this.#leftUnsettled = undefined;
    });
  }

  begin(completionId: number, child: Child): void {
    (this.#driven ??= new Map()).set(completionId, child);
  }

  end(completionId: number): void {
    const child = this.#driven?.get(completionId);
    this.#driven?.delete(completionId);
    if (child?.ownAcceptance?.isUnsettled === true) this.#leftUnsettled = [...(this.#leftUnsettled ?? []), child];
  }

  notePark(completionId: number): void {
    (this.#parked ??= new Set()).add(completionId);
  }
}
