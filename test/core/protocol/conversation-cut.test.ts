/** Tests the cuts of a conversation on an exchange that stays open: which entries a segment takes, and what is left. */
import { expect, test } from "vitest";
import { Conversation, JOURNAL_MAX_ENTRIES } from "../../../shared/core/protocol/conversation.ts";
import type { Received } from "../../../shared/core/protocol/received.ts";
import { hex, toHex } from "./hex.ts";
import {
  RUN,
  RUN_2,
  PROPOSE,
  PROPOSE_AGAIN,
  COMPLETION,
  OUTPUT,
  SLEEP,
  SUSPENSION,
  AWAITING_ON,
  setting,
} from "./sample-frames.ts";

const framesOf = (received: readonly Received[]): string[] => received.map(({ frame }) => toHex(frame));
const packed = (...digits: string[]): string[] => digits.map((frame) => toHex(hex(frame)));
const violation = (words: string) => ({ kind: "violation", message: expect.stringContaining(words) });
const suspended = {
  kind: "suspended",
  awaiting: { completions: [1], signals: [1], namedSignals: [], nested: [], combinator: "first-completed" },
};

type SegmentRow = [what: string, frames: string[], taken: string[], left: string[]];
const segmentRows: SegmentRow[] = [
  ["nothing", [], [], []],
  ["a run and its proposal", [RUN, PROPOSE], [RUN, COMPLETION], []],
  ["a run, its proposal and an output without an End message", [RUN, PROPOSE, OUTPUT], [RUN, COMPLETION], [OUTPUT]],
  ["an output before a late proposal", [RUN, OUTPUT, PROPOSE], [RUN], [OUTPUT, COMPLETION]],
  ["an output before another command", [OUTPUT, SLEEP], [OUTPUT, SLEEP], []],
];

test.each(segmentRows)("a cut of %s takes all before a trailing output", (_what, frames, taken, left) => {
  const conversation = new Conversation(setting());
  conversation.receive(hex(frames.join("")));
  expect(framesOf(conversation.cut(1))).toEqual(packed(...taken));
  expect(framesOf(conversation.received)).toEqual(packed(...left));
});

test("after a cut only the later entries are left, and a run of an earlier segment gets its proposal", () => {
  const conversation = new Conversation(setting());
  conversation.receive(hex(RUN));
  conversation.cut(1);
  conversation.receive(hex(PROPOSE + PROPOSE_AGAIN + SUSPENSION));
  const reply = conversation.finish("eof");
  expect(framesOf(reply.received)).toEqual(packed(COMPLETION));
  expect(reply.ending).toEqual(suspended);
});

test("the limits of bytes and entries count from the last cut", () => {
  const sizeBytes = hex(RUN + PROPOSE).length;
  const conversation = new Conversation({ ...setting(), replyMaxBytes: sizeBytes });
  conversation.receive(hex(RUN + PROPOSE));
  expect(conversation.terminated).toBe(false);
  conversation.cut(JOURNAL_MAX_ENTRIES - 3);
  conversation.receive(hex(RUN_2));
  expect(conversation.terminated).toBe(false);
  conversation.receive(hex(SLEEP));
  expect(conversation.finish("eof")).toEqual({ received: [], ending: violation("more than 100000 entries") });
});

test("from V7 on, a proposal can ask for an ack; on V6 the flag has no effect", () => {
  const asks = PROPOSE.replace("00050000", "00058000");
  const askedOn = (version: 6 | 7, frame: string) => {
    const conversation = new Conversation(setting(version));
    conversation.receive(hex(RUN + frame));
    const [, proposal] = conversation.received;
    return proposal?.kind === "proposal" && proposal.asksAck === true;
  };
  expect([askedOn(7, asks), askedOn(7, PROPOSE), askedOn(6, asks)]).toEqual([true, false, false]);
});

test("AwaitingOn counts until the next entry or notification, and not at all if unreadable, empty or sent during a run", () => {
  const conversation = new Conversation(setting(7));
  const awaiting = { completions: [1], signals: [], namedSignals: [], nested: [], combinator: "first-completed" };
  conversation.receive(hex(RUN + AWAITING_ON));
  expect(conversation.awaiting).toEqual(awaiting);
  conversation.receive(hex(SLEEP));
  expect(conversation.awaiting).toBeUndefined();
  conversation.receive(hex(AWAITING_ON));
  conversation.forgetAwaiting();
  expect(conversation.awaiting).toBeUndefined();
  const whileRunning = "0006000000000009 0a05 0a0101 2801 1001";
  for (const report of [whileRunning, "0006000000000002 0a05", "0006000000000000"]) {
    conversation.receive(hex(report));
    expect(conversation.awaiting).toBeUndefined();
  }
  expect(conversation.terminated).toBe(false);
});

test("after a cut, the journal may grow by the bytes that limitJournal states", () => {
  const conversation = new Conversation(setting());
  conversation.receive(hex(RUN + PROPOSE));
  conversation.cut(1);
  conversation.limitJournal(hex(RUN_2).length);
  conversation.receive(hex(RUN_2));
  expect(conversation.terminated).toBe(false);
  conversation.receive(hex(SLEEP));
  expect(conversation.finish("eof")).toEqual({ received: [], ending: violation("larger than this server keeps") });
});
