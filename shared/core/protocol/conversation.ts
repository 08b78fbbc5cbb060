/**
 * Reads the response of one attempt: bytes in, entries and an ending out; no transport, no clock.
 *
 * On an exchange that stays open, `cut` takes the entries so far. The driver makes them durable as a segment (I2), and writes
 * their completions to the same stream. `finish` returns what came after the last cut.
 */
import { decode, type ElementBudget } from "../model/proto3-decode.ts";
import { NESTING_MAX, NestingError, Proto3Error } from "../model/proto3.ts";
import { isEmptyAwait, type Await } from "../model/await-tree.ts";
import { decodeCommand, commandRow } from "./commands.ts";
import { awaitOfNode } from "./await-codec.ts";
import {
  AwaitingOnMessage,
  CONTROL,
  ErrorMessage,
  SuspensionListsMessage,
  SuspensionTreeMessage,
} from "./control-messages.ts";
import { FrameReader, REQUESTED_ACK, type Frame } from "./frame.ts";
import { codeText } from "./messages.ts";
import { completionOfProposal } from "./notifications.ts";
import type { AttemptReply, ReplyEnd, Received, AttemptError, ReportedCommand } from "./received.ts";
import type { ProtocolVersion } from "./version.ts";

export interface ConversationSetting {
  readonly version: ProtocolVersion;
  readonly messageSizeMaxBytes: number;
  /** The completion ids of those run commands in the replayed journal that have no completion there. */
  readonly openRuns: ReadonlySet<number>;
  /** Whether the replayed journal contains an output. */
  readonly hasOutput: boolean;
  /** The most bytes that the attempt may send in total; capped at `REPLY_MAX_MESSAGES` messages of the largest size. */
  readonly replyMaxBytes?: number;
  /** The number of entries in the replayed journal; 0 by default. */
  readonly journalEntries?: number;
  /** The bytes by which the replayed journal may grow; unbounded by default. */
  readonly journalLeftBytes?: number;
}

/**
 * The most entries of a journal, including the entries of the attempt. Without this limit one endless handler could exhaust the
 * memory of the process.
 */
export const JOURNAL_MAX_ENTRIES = 100_000;
/**
 * The most elements (headers, state names, futures of a suspension) that all messages of one attempt may contain
 * together. An empty future takes two bytes on the wire and some 370 in memory, so a limit in bytes alone would not
 * protect the process.
 */
export const REPLY_MAX_ELEMENTS = 250_000;
/** The byte limit of one attempt, as a multiple of the largest message size. */
export const REPLY_MAX_MESSAGES = 8;

/** A handler's report of what it awaits only helps to save time, so a report above one of these limits is ignored. */
const AWAITING_ON_MAX_BYTES = 16_384;
const AWAITING_ON_MAX_ELEMENTS = 1_000;

const COMMAND_CODES_FROM = 0x0400;
const NOTIFICATION_CODES_FROM = 0x8000;
const CUSTOM_CODES_FROM = 0xfc00;

export class Conversation {
  readonly #version: ProtocolVersion;
  readonly #reader: FrameReader;
  readonly #openRuns: Set<number>;
  readonly #proposed = new Set<number>();
  readonly #received: Received[] = [];
  #entriesMax: number;
  readonly #replyMaxBytes: number;
  #journalLeftBytes: number;
  readonly #elements: ElementBudget = { left: REPLY_MAX_ELEMENTS };
  #replyBytes = 0;
  #messages = 0;
  #hasOutput: boolean;
  #awaitingOn: Uint8Array | undefined;
  #ending: ReplyEnd | undefined;
  /** The moment of the present chunk, as a member of the entries that end in it. */
  #receipt: { readonly receivedAtMs?: number } = {};

  constructor(setting: ConversationSetting) {
    this.#version = setting.version;
    this.#reader = new FrameReader(setting.messageSizeMaxBytes);
    this.#openRuns = new Set(setting.openRuns);
    this.#hasOutput = setting.hasOutput;
    this.#entriesMax = JOURNAL_MAX_ENTRIES - (setting.journalEntries ?? 0);
    const { messageSizeMaxBytes, replyMaxBytes = Infinity, journalLeftBytes = Infinity } = setting;
    this.#journalLeftBytes = journalLeftBytes;
    this.#replyMaxBytes = Math.min(REPLY_MAX_MESSAGES * messageSizeMaxBytes, replyMaxBytes);
  }

  /** The entries since the last cut, in order; `receive` appends to this list. */
  get received(): readonly Received[] {
    return this.#received;
  }

  /** Whether a terminator, a violation or a message above the size limit has settled the ending; later bytes are ignored. */
  get terminated(): boolean {
    return this.#ending !== undefined;
  }

  /** The number of complete messages so far. */
  get messages(): number {
    return this.#messages;
  }

  /** The number of elements in complete messages so far. */
  get elements(): number {
    return REPLY_MAX_ELEMENTS - this.#elements.left;
  }

  /**
   * The await that the handler reported after its last entry; undefined if it reported none, or executes a run meanwhile.
   * Only handlers on an open exchange report an await, from V7 on.
   */
  get awaiting(): Await | undefined {
    if (this.#awaitingOn === undefined) return undefined;
    try {
      const { awaitingOn, executingSideEffects } = decode(AwaitingOnMessage, this.#awaitingOn, {
        left: AWAITING_ON_MAX_ELEMENTS,
      });
      return executingSideEffects || awaitingOn === undefined ? undefined : awaitOfNode(awaitingOn);
    } catch (error) {
      if (!(error instanceof Proto3Error)) throw error;
      return undefined;
    }
  }

  /** True while a run has no result: the handler executes this run or is going to execute it. */
  get hasOpenRuns(): boolean {
    return this.#openRuns.size > 0;
  }

  /** Called when the exchange has carried notifications, because the handler may then await something else. */
  forgetAwaiting(): void {
    this.#awaitingOn = undefined;
  }

  /**
   * Takes the entries so far, for a segment of their own. Does not take a trailing output and what follows it, because
   * `finish` may withdraw the output. The limits of an attempt count anew from here on.
   * @param journalEntries the number of entries in the journal before the taken ones
   */
  cut(journalEntries: number): readonly Received[] {
    const taken = this.#received.splice(0, beforeTrailingOutput(this.#received));
    this.#entriesMax = JOURNAL_MAX_ENTRIES - journalEntries - taken.length;
    this.#replyBytes = 0;
    this.#elements.left = REPLY_MAX_ELEMENTS;
    return taken;
  }

  /** Called once the entries of a cut are in the journal. @param leftBytes the bytes by which the journal may still grow */
  limitJournal(leftBytes: number): void {
    this.#journalLeftBytes = leftBytes;
  }

  /**
   * @param chunk any slice of the response; must not change afterwards, because entries share its memory
   * @param atMs when the chunk came; the entries that end in it have this moment
   */
  receive(chunk: Uint8Array, atMs?: number): void {
    if (this.#ending !== undefined) return;
    this.#receipt = atMs === undefined ? {} : { receivedAtMs: atMs };
    this.#reader.push(chunk);
    while (this.#ending === undefined) {
      const frame = this.#reader.next();
      if (frame === undefined) break;
      this.#replyBytes += frame.raw.length;
      this.#messages++;
      const ending = this.#take(frame);
      // The limits apply after each message, not after each chunk, because a Lambda function answers in a single chunk.
      this.#ending = this.#excess() ?? ending;
    }
    if (this.#reader.tooLarge !== undefined) this.#ending ??= { kind: "too-large", ...this.#reader.tooLarge };
  }

  /** If the attempt is above its limits, drops all its entries, because they would make the next attempt larger still. */
  #excess(): ReplyEnd | undefined {
    const isTooMany = this.#received.length > this.#entriesMax;
    const isTooLarge = this.#replyBytes > this.#replyMaxBytes;
    const outgrows = this.#received.length > 0 && this.#replyBytes > this.#journalLeftBytes;
    if (!isTooMany && !isTooLarge && !outgrows) return undefined;
    this.#received.length = 0;
    if (isTooMany) return violation(`the journal would have more than ${JOURNAL_MAX_ENTRIES} entries`);
    if (isTooLarge) return violation(`the attempt sent more than ${this.#replyMaxBytes} bytes`);
    return violation("the journal would be larger than this server keeps in memory");
  }

  /**
   * @param how `eof` if the response ended normally, `broken` if the transport failed
   * @param reason the transport's message, shown if no terminator arrived
   */
  finish(how: "eof" | "broken", reason?: string): AttemptReply {
    if (this.#ending !== undefined) return { received: this.#received, ending: this.#ending };
    const cutOff = this.#reader.pendingBytes;
    const where =
      cutOff === 0 ? "before the end of the attempt" : `in the middle of a message, after ${cutOff} bytes of it`;
    const message = reason === undefined ? `the response stopped ${where}` : `the response stopped ${where}: ${reason}`;
    const received = how === "broken" || cutOff > 0 ? withoutTrailingOutput(this.#received) : this.#received;
    return { received, ending: { kind: "cut", message } };
  }

  #take(frame: Frame): ReplyEnd | undefined {
    try {
      return this.#takeReadable(frame);
    } catch (error) {
      if (!(error instanceof Proto3Error)) throw error;
      if (error instanceof NestingError && frame.type === CONTROL.Suspension)
        return { kind: "too-deep", levelsMax: NESTING_MAX };
      if (this.#elements.left < 0)
        return violation(`${codeText(frame.type)} brings the attempt to more than ${REPLY_MAX_ELEMENTS} elements`);
      return violation(`${codeText(frame.type)} is not readable: ${error.message}`);
    }
  }

  #takeReadable(frame: Frame): ReplyEnd | undefined {
    switch (frame.type) {
      case CONTROL.End:
        return this.#hasOutput ? { kind: "ended" } : violation("the attempt ended without an output");
      case CONTROL.Suspension:
        return this.#suspended(awaitOfSuspension(frame.payload, this.#version, this.#elements));
      case CONTROL.Error:
        return endingOfError(frame.payload);
      case CONTROL.ProposeRunCompletion:
        return this.#proposal(frame);
      case CONTROL.AwaitingOn:
        this.#awaitingOn = frame.payload.length > AWAITING_ON_MAX_BYTES ? undefined : frame.payload;
        return undefined;
      default:
        return this.#command(frame);
    }
  }

  #suspended(awaiting: Await | undefined): ReplyEnd {
    if (awaiting === undefined || isEmptyAwait(awaiting)) return violation("the suspension waits on nothing");
    return { kind: "suspended", awaiting };
  }

  #command(frame: Frame): ReplyEnd | undefined {
    const command = decodeCommand(frame.type, frame.payload, this.#elements);
    if (command === undefined) return violation(illegalText(frame.type));
    if (command.name === "Input") return violation("a deployment must not send the input");
    const lack = commandRow(command.name).lack(command.message);
    if (lack !== undefined) return violation(`${codeText(frame.type)} ${lack}`);
    if (command.name === "Run") this.#openRuns.add(command.message.resultCompletionId);
    if (command.name === "Output") this.#hasOutput = true;
    this.#awaitingOn = undefined;
    this.#received.push({ kind: "command", type: frame.type, ...command, frame: frame.raw, ...this.#receipt });
    return undefined;
  }

  /** The first proposal for a run becomes the entry that each replay sends. Later proposals for the same run are ignored. */
  #proposal(frame: Frame): ReplyEnd | undefined {
    const proposal = completionOfProposal(frame.payload, this.#version, this.#elements);
    if (proposal === undefined) return violation("a run proposal has no result");
    const { completionId } = proposal;
    if (this.#proposed.has(completionId)) return undefined;
    if (!this.#openRuns.delete(completionId))
      return violation(`a proposal for completion ${completionId}, which no open run has`);
    this.#proposed.add(completionId);
    this.#awaitingOn = undefined;
    const asksAck = this.#version >= 7 && (frame.flags & REQUESTED_ACK) !== 0;
    this.#received.push({ kind: "proposal", ...proposal, ...(asksAck && { asksAck }), ...this.#receipt });
    return undefined;
  }
}

function violation(message: string): ReplyEnd {
  return { kind: "violation", message };
}

/** The number of entries before the first trailing output. An output is trailing if only outputs and proposals follow it. */
function beforeTrailingOutput(received: readonly Received[]): number {
  let end = received.length;
  for (let at = received.length - 1; at >= 0; at--) {
    const item = received[at]!;
    if (item.kind === "proposal") continue;
    if (item.name !== "Output") break;
    end = at;
  }
  return end;
}

function illegalText(code: number): string {
  if (code >= CUSTOM_CODES_FROM) return `custom entries such as ${codeText(code)} are not supported`;
  if (code >= NOTIFICATION_CODES_FROM) return `a deployment must not send notifications such as ${codeText(code)}`;
  if (code >= COMMAND_CODES_FROM) return `${codeText(code)} is no known command`;
  return `a deployment must not send ${codeText(code)}`;
}

/**
 * Removes the output at the end of a response that broke off, so that the next attempt produces the output anew. If the output
 * were stored, the handler would have to repeat it byte for byte (I9). Proposals before and after the output stay, because they
 * belong to earlier runs.
 */
function withoutTrailingOutput(received: readonly Received[]): readonly Received[] {
  const kept = [...received];
  for (let i = kept.length - 1; i >= 0; i--) {
    const item = kept[i]!;
    if (item.kind === "proposal") continue;
    if (item.name !== "Output") break;
    kept.splice(i, 1);
  }
  return kept;
}

/** @returns undefined if a V7 suspension has no tree @throws Proto3Error if the payload is unreadable or exceeds `budget` */
function awaitOfSuspension(payload: Uint8Array, version: ProtocolVersion, budget?: ElementBudget): Await | undefined {
  if (version >= 7) {
    const tree = decode(SuspensionTreeMessage, payload, budget).awaitingOn;
    return tree === undefined ? undefined : awaitOfNode(tree);
  }
  const lists = decode(SuspensionListsMessage, payload, budget);
  return {
    completions: lists.waitingCompletions,
    signals: lists.waitingSignals,
    namedSignals: lists.waitingNamedSignals,
    nested: [],
    combinator: "first-completed",
  };
}

/** @throws Proto3Error if the payload is unreadable */
function endingOfError(payload: Uint8Array): AttemptError {
  const error = decode(ErrorMessage, payload);
  return {
    kind: "error",
    code: error.code,
    message: error.message,
    ...(error.stacktrace === "" ? {} : { stacktrace: error.stacktrace }),
    related: relatedOf(error.relatedCommandIndex, error.relatedCommandName, error.relatedCommandType),
    ...(error.nextRetryDelayMs === undefined ? {} : { nextRetryDelayMs: clamped(error.nextRetryDelayMs) }),
    behavior: error.behavior === 1 ? "pause" : error.behavior === 2 ? "fail" : "retry",
  };
}

function relatedOf(index: number | undefined, name: string | undefined, type: number | undefined): ReportedCommand {
  return {
    ...(index === undefined ? {} : { commandIndex: index }),
    ...(name === undefined ? {} : { commandName: name }),
    ...(type === undefined ? {} : { commandType: type }),
  };
}

/** Clamps a delay that is too large for a number, because the error with this delay must not get lost. */
function clamped(delayMs: bigint): number {
  return Number(delayMs > BigInt(Number.MAX_SAFE_INTEGER) ? BigInt(Number.MAX_SAFE_INTEGER) : delayMs);
}
