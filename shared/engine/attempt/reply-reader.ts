/** Reads the reply of one exchange up to its terminator, within the budget of replies. */
import { journalBytes, openRuns } from "../../core/invocation/journal.ts";
import type { AttemptOutcome } from "../../core/invocation/event.ts";
import type { Route } from "../../core/model/deployment.ts";
import { Conversation } from "../../core/protocol/conversation.ts";
import { namesOfOpenRuns } from "../../core/protocol/received.ts";
import type { ProtocolVersion } from "../../core/protocol/version.ts";
import type { Engine } from "../engine.ts";
import { type ActiveInvocation, rootOf } from "../local/active-invocation.ts";
import type { OpenExchange } from "../local/open-attempt.ts";
import { NoRoomError, ReplyRoom } from "../local/reply-room.ts";
import type { Exchange } from "../ports/endpoints.ts";
import { endingOf, failureOfHead, failureOfTransport } from "./attempt-failures.ts";
import { journalLeftBytes } from "../bulkheads/bulkheads.ts";

export interface Reply {
  readonly received: Conversation["received"];
  readonly ending: AttemptOutcome;
}

/** The parts of one exchange while its reply is read. */
export interface Reading {
  readonly exchange: Exchange;
  readonly conversation: Conversation;
  readonly open: OpenExchange;
  readonly room: ReplyRoom;
  readonly version: ProtocolVersion;
}

/** How the reading ended: at the terminator or the end of the stream, with a head that fails the attempt, or with an error. */
export type ReadEnd =
  | { readonly kind: "eof" }
  | { readonly kind: "refused"; readonly refusal: AttemptOutcome }
  | { readonly kind: "broken"; readonly error: unknown };

/** Begins the reading. The attempt can be aborted from now on. */
export function beginReading(
  engine: Engine,
  active: ActiveInvocation,
  route: Route,
  version: ProtocolVersion,
  exchange: Exchange,
): Reading {
  const { journal } = active.invocation;
  const conversation = new Conversation({
    version,
    messageSizeMaxBytes: engine.settings.messageSizeMaxBytes,
    replyMaxBytes: replyOfBudget(engine),
    journalLeftBytes: replyLeftBytes(engine, active),
    openRuns: openRuns(journal),
    hasOutput: journal.output !== undefined,
    journalEntries: journal.entries.length,
  });
  const startedAtMs = engine.clock.nowMs();
  const { abortTimeoutMs } = route.settings;
  const open: OpenExchange = {
    startedAtMs,
    deploymentId: route.deployment.id,
    abortTimeoutMs,
    heardAtMs: startedAtMs,
    silent: false,
    holdsSlot: rootOf(active).origin.messageDriven,
    isUnsent: () => exchange.isUnsent === true,
    runs: () => namesOfOpenRuns(conversation.received),
    abort: () => exchange.abort(),
  };
  const room = new ReplyRoom(engine.bulkheads.replies, route.deployment.id);
  active.attempt.begin(open, room);
  if (active.lease.isLost || active.isStopping) active.attempt.letGo(active.lease.isLost ? "lost" : "stopping");
  return { exchange, conversation, open, room, version };
}

/** Never rejects. @param onProgress called when the head has come, after each chunk, and before a wait for the store */
export async function readReply(
  engine: Engine,
  active: ActiveInvocation,
  reading: Reading,
  onProgress?: () => void,
): Promise<ReadEnd> {
  const { exchange, open, version } = reading;
  try {
    const head = await exchange.head();
    open.headAtMs = engine.clock.nowMs();
    engine.bulkheads.contacts.set(open.deploymentId, open.headAtMs);
    onProgress?.();
    const refusal = failureOfHead(engine.clock.nowMs(), head, version);
    if (refusal !== undefined) {
      exchange.abort();
      return { kind: "refused", refusal };
    }
    const marking = engine.activeInvocations.suspects?.atReply(active.id);
    if (marking !== undefined) await marking;
    await readChunks(engine, reading, onProgress);
    return { kind: "eof" };
  } catch (error) {
    if (error instanceof NoRoomError) exchange.abort();
    return { kind: "broken", error };
  }
}

/** The reply after its reading: the entries that no segment has yet, and the ending. */
export function replyOf(engine: Engine, { exchange, conversation, open }: Reading, end: ReadEnd): Reply {
  if (end.kind === "refused") return { received: [], ending: end.refusal };
  if (end.kind === "broken") {
    const { error } = end;
    const { received } = conversation.finish("broken", error instanceof Error ? error.message : String(error));
    return { received, ending: failureOfTransport(engine.clock.nowMs(), error, open) };
  }
  const { received, ending } = conversation.finish("eof");
  // A deployment that violates the protocol may send for ever, and nothing after the violation is used.
  if (ending.kind === "violation" || ending.kind === "too-large") exchange.abort();
  else if (conversation.terminated) void engine.activeInvocations.drains.drain(exchange, engine.clock.nowMs());
  return { received, ending: endingOf(engine.clock.nowMs(), ending) };
}

/** A chunk of this size is decoded in well under a millisecond. */
const SMALL_CHUNK_BYTES = 8_192;
/**
 * A deployment makes progress if it ends a message or sends this many bytes. If each byte counted, a byte every half
 * second would keep an attempt from its abort timeout for ever.
 */
const PROGRESS_BYTES = 16_384;

async function waitForRoom(open: OpenExchange, waits: Promise<void>): Promise<void> {
  open.waitsForRoom = true;
  try {
    await waits;
  } finally {
    delete open.waitsForRoom;
  }
}

/** Reads up to the terminator. The stream ends later, and contains nothing after the terminator. */
async function readChunks(
  engine: Engine,
  { exchange, conversation, open, room }: Reading,
  onProgress?: () => void,
): Promise<void> {
  // The first chunk counts as progress, however small.
  let unheardBytes = PROGRESS_BYTES;
  while (!conversation.terminated) {
    const chunk = await exchange.next();
    if (chunk === undefined) break;
    const receivedAtMs = engine.clock.nowMs();
    const { messages } = conversation;
    const breaking = chunk.length > SMALL_CHUNK_BYTES ? engine.bulkheads.pace.step(room.lane) : undefined;
    if (breaking !== undefined) await breaking;
    conversation.receive(chunk, receivedAtMs);
    onProgress?.();
    const waits = room.add(chunk.length, conversation);
    if (waits !== undefined) await waitForRoom(open, waits);
    // The reader waits for the store only if a whole entry has come, because the driver cannot store a part of a message.
    const storing = open.halfClose !== undefined && conversation.received.length > 0 ? room.untilStored() : undefined;
    if (storing !== undefined) {
      onProgress?.();
      await waitForRoom(open, storing);
    }
    unheardBytes += chunk.length;
    if (unheardBytes < PROGRESS_BYTES && conversation.messages === messages) continue;
    unheardBytes = 0;
    open.heardAtMs = engine.clock.nowMs();
  }
}

/**
 * The limit of one reply, as a multiple of the budget of all replies: one account at a time may go beyond the budget. The
 * multiple is small, because a reply takes several times its size in memory while a driver stores it.
 */
const REPLY_OF_BUDGET = 2;

function replyOfBudget({ bulkheads }: Engine): number {
  return REPLY_OF_BUDGET * bulkheads.replies.capacity;
}

/**
 * The bytes by which a reply may make the journal grow. The arrivals that the segment of the reply may list count as a part of
 * the journal already.
 */
export function replyLeftBytes({ bulkheads }: Engine, { invocation, inbox }: ActiveInvocation): number {
  let sizeBytes = journalBytes(invocation.journal);
  for (const arrival of inbox.arrivals.values())
    if (arrival.kind === "notification") sizeBytes += arrival.consumption.entry.frame.length;
  return journalLeftBytes(bulkheads, sizeBytes);
}

/** The limit of a reply and of the answers to its reads together. */
export function replyMaxBytes(engine: Engine, active: ActiveInvocation): number {
  return Math.min(replyOfBudget(engine), replyLeftBytes(engine, active));
}
