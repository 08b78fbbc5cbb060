/** What a driver has in its hands while it advances one invocation. */
import type { Arrival } from "../../core/invocation/event.ts";
import type { Invocation } from "../../core/invocation/invocation.ts";
import type { Result } from "../../core/model/failure.ts";
import type { Route } from "../../core/model/deployment.ts";
import type { InvocationId, Token } from "../../core/model/ids.ts";
import type { TraceContext } from "../../core/model/trace-context.ts";
import type { Lease } from "../store/acceptance-record.ts";
import type { LeaseRecord } from "../store/lease-record.ts";
import type { Item, Written } from "../ports/table.ts";
import type { ReplyRoom } from "./reply-room.ts";
import type { Lock } from "../store/lock-record.ts";

/** Why a driver lets go of an exchange before its end. */
export type LetGo = "abort-timeout" | "lost" | "stopping";

export interface OpenExchange {
  readonly startedAtMs: number;
  readonly abortTimeoutMs: number;
  /** When the last bytes came; the start while none have. */
  heardAtMs: number;
  silent: boolean;
  /** The attempt has been open for so long that its handler has a note. */
  long?: true;
  /** The reader waits for room, and the deployment for the reader, so that this server causes the silence. */
  waitsForRoom?: true;
  letGo?: LetGo;
  abort(): void;
}

/** The caller that is driven by the same driver and takes the result straight from it. */
export interface InlineCaller {
  readonly active: ActiveInvocation;
  readonly completionId: number;
}

/** An acceptance that waits for the first segment, to be written with it. */
export interface Joinable {
  /** False once it goes its own way. */
  readonly waits: boolean;
  /** @param isLast nothing is left to be done once the segment is there */
  putWith(segment: Item, isLast: boolean): Promise<Written>;
}

export interface ActiveInvocation {
  readonly id: InvocationId;
  readonly pk: string;
  /** A message that will come again is this driver's backstop; an ingress driver has none of its own (I4). */
  readonly messageDriven: boolean;
  /** 0 for what a request or a message started, 1 for its children, and so on. */
  readonly depth: number;
  readonly caller?: InlineCaller;
  /** Its message came by the main lane of the queue, which slow services have to leave. */
  inMainLane?: true;
  invocation: Invocation;
  lease: Lease;
  /** The hold item as last read or written; absent while there is none. */
  leaseRecord?: LeaseRecord;
  /** Arrivals that no segment lists, by key; the segment that lists one marked inline holds it too. */
  readonly arrivals: Map<string, Arrival>;
  /** What the inline arrivals bring, free of any protocol version, for the case that they must be written down. */
  readonly results: Map<string, { readonly completionId: number; readonly result: Result | undefined }>;
  /** The route that the acceptance was made by: the first attempt takes it, instead of looking it up again. */
  route?: Route;
  /** What the lock of its key shows, once the driver knows that the invocation holds it. */
  lock?: Lock;
  /** Its place in the queue of the key, while it waits. */
  ticket?: number;
  /** A far moment for which this driver has set a timer. */
  timerAtMs?: number;
  /** The acceptance on its way to the table: nothing is committed before it is there. */
  durable?: Promise<unknown>;
  /** The same acceptance, as long as it may be written together with the first segment. */
  pending?: Joinable;
  /** Writes made since the last segment. */
  units: number;
  /** False once the driver has left: what comes later must go through the table. */
  open: boolean;
  /** Another driver has it: throw everything away. */
  lost: boolean;
  /** The process stops: park at the next occasion. */
  stopping: boolean;
  /** Somebody wrote something: read the arrivals before parking on what is in memory. */
  dirty: boolean;
  /** When arrivals were last read; absent before the first turn. */
  arrivalsReadAtMs?: number;
  /** A wake came while it was driven: somebody may have attached. */
  sinkSuspected: boolean;
  exchange?: OpenExchange;
  /** The journal's part of the budget of journals, for an invocation that came by a message. */
  journalRoom?: { readonly sizeBytes: number };
  /** The last reply's part of the budget of replies, until it is stored. */
  replyRoom?: ReplyRoom;
  /** Of the attempt under way, where somebody traces. */
  span?: TraceContext;
  /** Calls that are being driven along, by completion id. */
  readonly children: Map<number, ActiveInvocation>;
  /** Those that were driven along until they parked: their own wakes are set, so that they need none from here. */
  readonly parkedChildren: Set<number>;
  /** The token that stood before a renewal whose outcome is not known: it may stand still. */
  doubtedToken?: Token;
  /** A renewal of the lease that is on its way: whoever writes the hold next waits for it. */
  renewal?: Promise<void>;
  /** An open circuit lets this driver make its next attempt. */
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

/** A result that comes straight from a child or a lookup: in memory until a segment lists it or a park writes it down. */
export function takeInline(active: ActiveInvocation, arrival: Extract<Arrival, { kind: "notification" }>): void {
  if (active.invocation.consumed.has(arrival.consumption.key) || active.arrivals.has(arrival.consumption.key)) return;
  active.arrivals.set(arrival.consumption.key, arrival);
  active.interrupt?.();
}

/** Ends the exchange of a driver, if one is open, and tells the driver why. */
export function letGo(active: ActiveInvocation, why: LetGo): void {
  const { exchange } = active;
  if (exchange === undefined || exchange.letGo !== undefined) return;
  exchange.letGo = why;
  exchange.abort();
}

/** Another driver has it: its exchange is let go of, and its wait is over. */
export function lose(active: ActiveInvocation): void {
  active.lost = true;
  letGo(active, "lost");
  active.interrupt?.();
}
