/** The reply of one attempt: the entries that it added, and its ending. */
import type { Await } from "../model/await-tree.ts";
import type { NamedMessage } from "./commands.ts";

/** A command as received; `frame` is stored (I9). */
export type ReceivedCommand = NamedMessage & {
  readonly kind: "command";
  readonly type: number;
  readonly frame: Uint8Array;
  /** When the end of the message came; absent if the reader stated no moment. */
  readonly receivedAtMs?: number;
};

/** The result of a run; `frame` is the run completion built from it, an entry like any other. */
export interface ReceivedProposal {
  readonly kind: "proposal";
  readonly completionId: number;
  readonly failed: boolean;
  readonly frame: Uint8Array;
  /** Present if an open exchange may answer with an acknowledgement in place of the whole completion. */
  readonly asksAck?: true;
  /** As in a command. */
  readonly receivedAtMs?: number;
}

/** One entry of a reply. A reply lists its entries in the order of arrival, and a replay sends them in this order. */
export type Received = ReceivedCommand | ReceivedProposal;

export interface ReportedCommand {
  /** The index among the commands; the input is 0. It may be one past the last stored command. */
  readonly commandIndex?: number;
  readonly commandName?: string;
  readonly commandType?: number;
}

export interface AttemptError {
  readonly kind: "error";
  readonly code: number;
  readonly message: string;
  readonly stacktrace?: string;
  readonly related: ReportedCommand;
  /** Overrides one delay of the retry policy. */
  readonly nextRetryDelayMs?: number;
  readonly behavior: "retry" | "pause" | "fail";
}

export type ReplyEnd =
  | { readonly kind: "ended" }
  | { readonly kind: "suspended"; readonly awaiting: Await }
  | AttemptError
  /** The deployment broke the protocol. Earlier entries are kept, unless the attempt has too many bytes or entries. */
  | { readonly kind: "violation"; readonly message: string }
  /** A message exceeded the limit (RT0003). The entries before the message are kept. */
  | { readonly kind: "too-large"; readonly sizeBytes: number; readonly limitBytes: number }
  /** The handler suspended on an await that nests deeper than the limit (RT0025). The entries before it are kept. */
  | { readonly kind: "too-deep"; readonly levelsMax: number }
  /** The response stopped without a terminator. */
  | { readonly kind: "cut"; readonly message: string };

export interface AttemptReply {
  readonly received: readonly Received[];
  readonly ending: ReplyEnd;
}

/** @param received the entries of a reply that no segment has yet @returns the names of the runs, in the order of the reply */
export function namesOfOpenRuns(received: readonly Received[]): readonly string[] {
  const open = new Map<number, string>();
  for (const item of received) {
    if (item.kind === "proposal") open.delete(item.completionId);
    else if (item.name === "Run") open.set(item.message.resultCompletionId, item.message.name ?? "");
  }
  return [...open.values()];
}

/** A transport that sends a stored answer leaves less time than this between two chunks; so does a handler with very short steps. */
const BURST_GAP_MS = 20;

/**
 * Gives entries that came in one burst the moment at which the burst ended. Only on an open exchange does a deployment have to send
 * each command before it waits for the command. Any other answer may have been kept back, so the moments within a burst say how
 * quickly the transport was, and nothing about the handler.
 */
export function inBursts(received: readonly Received[]): readonly Received[] {
  const all: Received[] = [];
  let nextMs: number | undefined;
  let burstMs: number | undefined;
  for (const item of received.toReversed()) {
    const { receivedAtMs } = item;
    const isNear = nextMs !== undefined && receivedAtMs !== undefined && nextMs - receivedAtMs <= BURST_GAP_MS;
    burstMs = isNear ? burstMs : receivedAtMs;
    nextMs = receivedAtMs;
    all.push(burstMs === receivedAtMs || burstMs === undefined ? item : { ...item, receivedAtMs: burstMs });
  }
  return all.reverse();
}
