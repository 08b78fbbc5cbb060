/** Converts between the frames of the protocol and the entries of a journal. */
import type { CommandEntry, Entry, NotificationEntry } from "../../core/invocation/entry.ts";
import type { TargetTypes } from "../../core/model/target.ts";
import { commandOf, COMMANDS, type NamedMessage, commandRow } from "../../core/protocol/commands.ts";
import { framesOf, messageFrame } from "../../core/protocol/frame.ts";
import {
  callInvocationIdCompletion,
  notificationHead,
  NOTIFICATIONS,
  sleepCompletion,
} from "../../core/protocol/notifications.ts";
import { StoreError } from "../ports/table.ts";
import type { Acceptance } from "../../core/invocation/acceptance.ts";
import { CALLER_HEADER, isCallerHeader } from "../../core/model/caller.ts";

const NOTIFICATION_TYPES = new Map<number, string>(
  Object.entries(NOTIFICATIONS).map(([name, code]) => [code, name.replace(/Completion$/, "")]),
);

export function commandEntry(wire: NamedMessage, frame: Uint8Array, receivedAtMs?: number): CommandEntry {
  const entry = {
    kind: "command",
    type: wire.name,
    name: wire.message.name,
    command: commandRow(wire.name).meaning(wire.message),
    frame,
  } as const;
  return receivedAtMs === undefined ? entry : { ...entry, receivedAtMs };
}

/**
 * Reads the frames of a stored segment.
 * @param receipts gives the moment of receipt of each entry; without it the moments are unknown
 * @throws StoreError for an unknown code, RangeError or Proto3Error for unreadable bytes
 */
export function entriesOf(frames: Uint8Array, receipts?: Iterator<number, undefined>): readonly Entry[] {
  return framesOf(frames).map(({ raw, type }) => entryOf(raw, type, receipts?.next().value));
}

function entryOf(raw: Uint8Array, type: number, receivedAtMs: number | undefined): Entry {
  const command = commandOf(raw);
  if (command !== undefined) return commandEntry(command, raw, receivedAtMs);
  return notificationEntry(raw, type, receivedAtMs);
}

/** Reads one stored notification; a `CallInvocationId` notification also gives the id of the child. */
export function notificationEntry(raw: Uint8Array, code: number, receivedAtMs?: number): NotificationEntry {
  const type = NOTIFICATION_TYPES.get(code);
  if (type === undefined) throw new StoreError(`a stored entry has the unknown code ${code}`);
  const { id, outcome } = notificationHead(raw);
  const invocationId = type === "CallInvocationId" ? invocationIdIn(raw) : undefined;
  return {
    kind: "notification",
    type,
    id,
    failed: outcome === "failure",
    frame: raw,
    ...(invocationId !== undefined && { invocationId }),
    ...(receivedAtMs !== undefined && { receivedAtMs }),
  };
}

/** The id is the last field of its message and 38 characters long. */
function invocationIdIn(raw: Uint8Array): string {
  return new TextDecoder().decode(raw.subarray(raw.length - 38));
}

/** @param receivedAtMs the moment of the call or send, from which the id follows */
export function childIdEntry(
  completionId: number,
  invocationId: string,
  childTypes: TargetTypes,
  receivedAtMs?: number,
): NotificationEntry {
  const frame = callInvocationIdCompletion(completionId, invocationId);
  const head = { kind: "notification", type: "CallInvocationId", id: { completionId }, failed: false } as const;
  return { ...head, invocationId, childTypes, frame, ...(receivedAtMs !== undefined && { receivedAtMs }) };
}

/** @param receivedAtMs when this server saw that the sleep is over */
export function sleepEntry(completionId: number, receivedAtMs: number): NotificationEntry {
  return {
    kind: "notification",
    type: "Sleep",
    id: { completionId },
    failed: false,
    frame: sleepCompletion(completionId),
    receivedAtMs,
  };
}

/** All frames in a row, as a segment stores them. */
export function framesIn(entries: readonly Entry[]): Uint8Array {
  const total = entries.reduce((size, { frame }) => size + frame.length, 0);
  const bytes = new Uint8Array(total);
  let at = 0;
  for (const { frame } of entries) {
    bytes.set(frame, at);
    at += frame.length;
  }
  return bytes;
}

/**
 * Entry 0 of every journal: built from the acceptance, and the same at every load. The caller's header comes from the acceptance
 * alone. A submitted header of that name is dropped, because it may be forged.
 */
export function inputEntry({ input, headers: given, createdBy, createdAtMs }: Acceptance): CommandEntry {
  const { code, type } = COMMANDS.Input;
  const others = given.some(({ key }) => isCallerHeader(key)) ? given.filter(({ key }) => !isCallerHeader(key)) : given;
  const headers = createdBy === undefined ? others : [...others, { key: CALLER_HEADER, value: createdBy }];
  const frame = messageFrame(code, type, { headers, value: { content: input } });
  return { kind: "command", type: "Input", name: "", command: { kind: "input" }, frame, receivedAtMs: createdAtMs };
}
