/** Converts a reply to entries: checks each command, and adds the completions that are known at once. */
import type { CommandEntry, Entry } from "../../core/invocation/entry.ts";
import { NOTIFICATIONS } from "../../core/protocol/notifications.ts";
import type { Received } from "../../core/protocol/received.ts";
import type { ProtocolVersion } from "../../core/protocol/version.ts";
import { type Failing, failingWithoutRoom } from "./attempt-failures.ts";
import { type CommandRejection, rejectionOf, rejectionOfChild, withKey } from "./command-rejections.ts";
import type { Engine } from "../engine.ts";
import { childIdEntry, commandEntry, notificationEntry } from "../store/entries.ts";
import type { ActiveInvocation } from "../local/active-invocation.ts";
import { NoRoomError } from "../local/reply-room.ts";
import { childId } from "../accept/invocation-ids.ts";
import { keyedReads } from "../lock/state-reads.ts";

/** A reply of at most this many items is processed without waiting for a turn, so that plain calls stay fast. */
const SHORT_MAX_ITEMS = 32;

export interface Expanded {
  readonly entries: readonly Entry[];
  /**
   * Present if a command was refused: this command and all later ones are discarded, and the attempt has failed for this reason.
   */
  readonly refused?: Failing;
}

/**
 * @param replyMaxBytes the limit of the reply and the answers to its reads together: a read of ten bytes may have an answer of
 *   megabytes
 */
export async function expand(
  engine: Engine,
  active: ActiveInvocation,
  received: readonly Received[],
  version: ProtocolVersion,
  replyMaxBytes: number,
): Promise<Expanded> {
  // The span shows everything that came, also what is refused below.
  active.attempt.events?.add(received, engine.clock.nowMs());
  const { acceptance, journal } = active.invocation;
  const entries: Entry[] = [];
  const reads = keyedReads(engine, active, version);
  let commandIndex = journal.commandCount;
  const isLong = received.length > SHORT_MAX_ITEMS;
  for (const item of received) {
    const breaking = isLong ? engine.bulkheads.pace.step(acceptance.target.service) : undefined;
    if (breaking !== undefined) await breaking;
    if (item.kind === "proposal") {
      entries.push(notificationEntry(item.frame, NOTIFICATIONS.RunCompletion, item.receivedAtMs));
      continue;
    }
    const entry = commandEntry(item, item.frame, item.receivedAtMs);
    const { command } = entry;
    let refusal = rejectionOf(entry, acceptance);
    let child: Entry | undefined;
    if (command.kind === "call" || command.kind === "send") {
      const { service, handler } = command.child.target;
      const routing = engine.registry.known(service, handler) ?? (await engine.registry.route(service, handler));
      refusal ??= rejectionOfChild(command.child, routing, engine.settings);
      if (routing.found) {
        const types = { serviceType: routing.route.service.type, handlerType: routing.route.handler.type };
        const id = childId(engine, acceptance, commandIndex, withKey(command.child, types), types);
        child = childIdEntry(command.child.idCompletionId, id, types, item.receivedAtMs);
      }
    }
    if (refusal !== undefined) return { entries, refused: refusedBy(refusal, entry, commandIndex) };
    const answer = await reads.answer(entry);
    const tooLarge = answer && (await excessOf(active, answer.frame.length, replyMaxBytes));
    if (tooLarge !== undefined) return { entries, refused: tooLarge };
    entries.push(entry);
    if (child !== undefined) entries.push(child);
    if (answer !== undefined) entries.push({ ...answer, receivedAtMs: engine.clock.nowMs() });
    commandIndex++;
  }
  return { entries };
}

/**
 * @returns the failure if this server has no room for the answer to a read, or if the answer exceeds the limit; else undefined.
 * The next attempt repeats the read. By then the earlier answers are stored.
 */
async function excessOf(
  { attempt: { room } }: ActiveInvocation,
  answerBytes: number,
  replyMaxBytes: number,
): Promise<Failing | undefined> {
  if (room === undefined) return undefined;
  const message = `protocol violation: the attempt and the answers to its reads have more than ${replyMaxBytes} bytes`;
  if (room.sizeBytes + answerBytes > replyMaxBytes) return { errorCode: "RT0012", code: 571, message };
  try {
    const waits = room.addAnswer(answerBytes);
    if (waits !== undefined) await waits;
    return undefined;
  } catch (error) {
    if (error instanceof NoRoomError) return failingWithoutRoom(error);
    throw error;
  }
}

function refusedBy({ errorCode, why }: CommandRejection, { type, name }: CommandEntry, index: number): Failing {
  const message = `cannot process command ${type} (command index ${index}) because of a failed precondition: ${why}`;
  return { errorCode, code: 500, message, relatedCommand: { index, type, ...(name !== "" && { name }) } };
}
