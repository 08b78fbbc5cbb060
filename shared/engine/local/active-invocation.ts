/** The memory of a driver about the invocation that it advances. */
import type { Arrival } from "../../core/invocation/event.ts";
import type { Invocation } from "../../core/invocation/invocation.ts";
import type { Result } from "../../core/model/failure.ts";
import type { Route } from "../../core/model/deployment.ts";
import type { InvocationId, Token } from "../../core/model/ids.ts";
import type { TraceContext } from "../../core/model/trace-context.ts";
import type { Lease } from "../store/acceptance-record.ts";
import type { LeaseRecord } from "../store/lease-record.ts";
import type { OnBytes } from "../store/read-partition.ts";
import type { Item, Written } from "../ports/table.ts";
import type { ReplyRoom } from "./reply-room.ts";
import type { Lock } from "../store/lock-record.ts";

/** Why a driver aborts an exchange. */
export type LetGo = "abort-timeout" | "lost" | "stopping";

export interface OpenExchange {
  readonly startedAtMs: number;
  readonly abortTimeoutMs: number;
  /** When the last bytes came that count as progress; the start until then. */
  heardAtMs: number;
  silent: boolean;
  /** The attempt has been open for so long that its handler has a long note. */
  long?: true;
  /** The reader waits for room and the deployment for the reader, so this server causes the silence. */
  waitsForRoom?: true;
  letGo?: LetGo;
  abort(): void;
}

/** The caller whose driver also drives this invocation and takes the result from memory. */
export interface InlineCaller {
  readonly active: ActiveInvocation;
  readonly completionId: number;
}

/** An acceptance that waits for the first segment, to be written together with it. */
export interface Joinable {
  /** False once the write of the acceptance has begun. */
  readonly waits: boolean;
  /** @param isLast true if nothing remains to be done after the segment */
  putWith(segment: Item, isLast: boolean): Promise<Written>;
}

/** The part of a budget that a loaded journal takes. */
export interface CountedRoom {
  readonly sizeBytes: number;
  /** Makes a read for which the room grows. */
  readBeside<T>(read: (onBytes: OnBytes) => Promise<T>): Promise<T>;
}

export interface ActiveInvocation {
  readonly id: InvocationId;
  readonly pk: string;
  /** True if a message started the driver and comes again as its backstop; an ingress driver has none of its own (I4). */
  readonly messageDriven: boolean;
  /** 0 for an invocation that a request or a message started, 1 for its children, and so on. */
  readonly depth: number;
  readonly caller?: InlineCaller;
  /** The message came through the main lane of the queue, which slow services must leave. */
  inMainLane?: true;
  invocation: Invocation;
  lease: Lease;
  /** The lease record as last read or written; absent while there is none. */
  leaseRecord?: LeaseRecord;
  /** Fresh arrivals, by key; a segment that lists an inline one also contains it. */
  readonly arrivals: Map<string, Arrival>;
  /** The results in the inline arrivals, independent of any protocol version, in case a park must write them. */
  readonly results: Map<string, { readonly completionId: number; readonly result: Result | undefined }>;
  /** The route of the acceptance, which saves the first attempt a lookup. */
  route?: Route;
  /** The lock as last read, once the invocation is seen to hold it. */
  lock?: Lock;
  /** The place in the queue of the key, while the invocation waits. */
  ticket?: number;
  /** A far moment for which this driver has set a timer. */
  timerAtMs?: number;
  /** The acceptance under way to the table: no segment is committed before it is durable. */
  durable?: Promise<unknown>;
  /** The same acceptance, while it may be written together with the first segment. */
  pending?: Joinable;
  /** Writes made since the last segment. */
  units: number;
  /** False once the driver has left: later results must go through the table. */
  open: boolean;
  /** Another driver has the invocation: this driver discards its work. */
  lost: boolean;
  /** The process stops: the driver parks at the next occasion. */
  stopping: boolean;
  /** An item was written for the invocation: the driver reads the arrivals before it parks. */
  dirty: boolean;
  /** When arrivals were last read; absent before the first turn. */
  arrivalsReadAtMs?: number;
  /** A wake came during the drive: an invocation may have attached. */
  sinkSuspected: boolean;
  exchange?: OpenExchange;
  /** The journal's part of the budget of journals, for an invocation that a message started. */
  journalRoom?: CountedRoom;
  /** The last reply's part of the budget of replies, until it is stored. */
  replyRoom?: ReplyRoom;
  /** The span of the attempt under way, if traces are on. */
  span?: TraceContext;
  /** Calls that this driver drives along, by completion id. */
  readonly children: Map<number, ActiveInvocation>;
  /** Children that were driven along until they parked; their own wakes are set, so this driver sends none. */
  readonly parkedChildren: Set<number>;
  /** The token before a renewal with an unknown outcome: the stored lease record may still have it. */
  doubtedToken?: Token;
  /** A renewal of the lease under way: the next write of the lease record waits for it. */
  renewal?: Promise<void>;
  /** An open circuit allows the next attempt of this driver. */
  mayProbe?: true;
  /** Ends a wait inside the driver. */
  interrupt?: () => void;
}

export function newActiveInvocation(
  given: Pick<ActiveInvocation, "id" | "pk" | "messageDriven" | "depth" | "invocation" | "lease"> &
    Partial<ActiveInvocation>,
): ActiveInvocation {
  return {
    arrivals: new Map(),
    children: new Map(),
    parkedChildren: new Set(),
    results: new Map(),
    units: 0,
    open: true,
    lost: false,
    stopping: false,
    dirty: false,
    sinkSuspected: false,
    ...given,
  };
}

/** Adds a result from a child or a lookup: it stays in memory until a segment lists it or a park writes it. */
export function takeInline(active: ActiveInvocation, arrival: Extract<Arrival, { kind: "notification" }>): void {
  if (active.invocation.consumed.has(arrival.consumption.key) || active.arrivals.has(arrival.consumption.key)) return;
  active.arrivals.set(arrival.consumption.key, arrival);
  active.interrupt?.();
}

/** Aborts the exchange of a driver, if one is open, and records the reason for the driver. */
export function letGo(active: ActiveInvocation, why: LetGo): void {
  const { exchange } = active;
  if (exchange === undefined || exchange.letGo !== undefined) return;
  exchange.letGo = why;
  exchange.abort();
}

/** Another driver has the invocation: aborts the exchange, and ends a wait of this driver. */
export function lose(active: ActiveInvocation): void {
  active.lost = true;
  letGo(active, "lost");
  active.interrupt?.();
}
