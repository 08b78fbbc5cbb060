/** Whether a process has the journal store for itself or shares it with other processes, and what the engine may do in each case. */

export type Ownership = SoleOwner | SharedStore;

/** No other process reads or writes the store: the local process. */
export interface SoleOwner {
  readonly kind: "sole";
  /** The prefix of the tokens of this process. A lease with another token belonged to a process that has ended. */
  readonly tokenPrefix: string;
  /**
   * How long the put of a call's acceptance, and the take of its key, are delayed, so that the call's first segment can be written
   * with them. 0 writes both at once, before the handler runs.
   */
  readonly acceptanceWaitMs: number;
}

/** Several processes read and write the store: the functions on AWS. */
export interface SharedStore {
  readonly kind: "shared";
  /**
   * An attempt that is cut for time after at least this long gives its handler a slow note; an attempt that was open for this
   * long gives it a long note. All processes on the table read the notes.
   */
  readonly slowFromMs: number;
  /** Which process drives the invocations of a service with a slow note. */
  readonly slowServices: SlowServices;
}

/**
 * - `here`: this process, as it drives all others.
 * - `queue`: a worker that takes their messages from the queue. For drivers that have less time than workers.
 * - `slow-lane`: a worker of the slow lane. For workers of the main lane, if there is a slow lane.
 */
export type SlowServices = "here" | "queue" | "slow-lane";

interface Owned {
  readonly ownership: Ownership;
}

const isSole = ({ ownership }: Owned): boolean => ownership.kind === "sole";

/**
 * True if no driver has this lease any more, or ever had one. A sole owner has made every lease that counts: one with another
 * token belonged to a process that has ended, and one that has more left than a lease was made before the clock was set back.
 * @param leftMs the time from now until the end of the lease
 */
export function countsLeaseAsOver(
  { ownership, leaseMs }: Owned & { readonly leaseMs: number },
  token: string,
  leftMs: number,
): boolean {
  if (leftMs <= 0) return true;
  return ownership.kind === "sole" && (!token.startsWith(`${ownership.tokenPrefix}.`) || leftMs > leaseMs);
}

/** True if the memory of this process names every acceptance whose put is under way. */
export const knowsEveryAcceptance = isSole;

/** True if each writer of an arrival marks the active invocation in memory, so that its driver need not read the table to find it. */
export const knowsEveryArrival = isSole;

/** True if an invocation that this process does not drive has no driver. Its memory is then newer than each entry of the open index. */
export const knowsEveryDriver = isSole;

/**
 * How long the put of a call's acceptance may wait for the call's first segment. 0 in a shared store, where other drivers must
 * find a call before its handler runs.
 */
export function acceptanceWaitMs({ ownership }: Owned): number {
  return ownership.kind === "sole" ? ownership.acceptanceWaitMs : 0;
}

/**
 * True if a driver may keep in memory that it has a free key, and hand the key to the next driver there: all who want the key
 * are in this process (ADR 16).
 */
export function mayReserveKeys(settings: Owned): boolean {
  return acceptanceWaitMs(settings) > 0;
}

/** True if the process that accepts an invocation may drive it without a message, although its sender does not wait for the result. */
export function mayDriveSends(settings: Owned): boolean {
  return acceptanceWaitMs(settings) > 0;
}

/** True if a read costs no money, so that a statement may read everything. */
export const readsFreely = isSole;

/**
 * True if what has expired is deleted by this process, in the order of expiry, and only after its sweeper has extended the open
 * invocations. A shared table deletes the expired items of an invocation one by one, in any order and days apart, even while no
 * sweeper runs.
 */
export const deletesInOrder = isSole;

/** The length of an attempt from which on it gives its handler a note; infinite for a sole owner, which has one lane. */
export function slowFromMs({ ownership }: Owned): number {
  return ownership.kind === "sole" ? Infinity : ownership.slowFromMs;
}

/** Which process drives the invocations of a service with a slow note. */
export function slowServicesGoTo({ ownership }: Owned): SlowServices {
  return ownership.kind === "sole" ? "here" : ownership.slowServices;
}

/** @returns the settings of a worker of the slow lane, which drives slow services itself */
export function ofSlowLane<Settings extends Owned>(settings: Settings): Settings {
  const { ownership } = settings;
  return ownership.kind === "sole" ? settings : { ...settings, ownership: { ...ownership, slowServices: "here" } };
}
