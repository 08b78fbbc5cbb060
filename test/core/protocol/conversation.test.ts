/** Tests the endings of an attempt, and which entries are kept in each case. */
import { expect, test } from "vitest";
import {
  Conversation,
  JOURNAL_MAX_ENTRIES,
  type ConversationSetting,
} from "../../../shared/core/protocol/conversation.ts";
import type { AttemptReply, Received } from "../../../shared/core/protocol/received.ts";
import { COMMAND_VECTORS } from "./golden-commands.ts";
import { BAD, BAD_WITH_METADATA } from "./golden-vector.ts";
import { hex, toHex } from "./hex.ts";
import {
  RUN,
  RUN_2,
  PROPOSE,
  PROPOSE_AGAIN,
  PROPOSE_2,
  COMPLETION,
  OUTPUT,
  SLEEP,
  END,
  SUSPENSION,
  SUSPENSION_V7,
  ERROR,
  AWAITING_ON,
  setting,
} from "./sample-frames.ts";

function converse(
  digits: string,
  how: "eof" | "broken" = "eof",
  changed: Partial<ConversationSetting> = {},
): AttemptReply {
  const conversation = new Conversation({ ...setting(), ...changed });
  conversation.receive(hex(digits));
  return conversation.finish(how);
}

const framesOf = (received: readonly Received[]): string[] => received.map(({ frame }) => toHex(frame));
const packed = (...digits: string[]): string[] => digits.map((frame) => toHex(hex(frame)));
const violation = (words: string) => ({ kind: "violation", message: expect.stringContaining(words) });
const cut = (words: string) => ({ kind: "cut", message: expect.stringContaining(words) });
const suspended = {
  kind: "suspended",
  awaiting: { completions: [1], signals: [1], namedSignals: [], nested: [], combinator: "first-completed" },
};
const boom = { kind: "error", code: 500, message: "boom", related: {}, behavior: "retry" };

type Row = [what: string, frames: string[], kept: string[], ending: object, changed?: Partial<ConversationSetting>];
const rows: Row[] = [
  ["an output and an end", [OUTPUT, END], [OUTPUT], { kind: "ended" }],
  ["two outputs and an end", [OUTPUT, OUTPUT, END], [OUTPUT, OUTPUT], { kind: "ended" }],
  ["an end whose output was replayed", [END], [], { kind: "ended" }, { hasOutput: true }],
  ["an end without any output", [RUN, END], [RUN], violation("ended without an output")],
  ["a run, its proposal and a suspension", [RUN, PROPOSE, SUSPENSION], [RUN, COMPLETION], suspended],
  ["a suspension of V5", [SUSPENSION], [], suspended, { version: 5 }],
  ["a suspension of V7", [SUSPENSION_V7], [], suspended, { version: 7 }],
  ["a suspension on nothing", [SLEEP, "0001000000000000"], [SLEEP], violation("waits on nothing")],
  ["a V7 suspension without a tree", ["0001000000000000"], [], violation("waits on nothing"), { version: 7 }],
  [
    "a V7 suspension on a tree without leaves",
    ["0001000000000006 2204 2200 2801"],
    [],
    violation("waits on nothing"),
    { version: 7 },
  ],
  ["a suspension with the lists of V6, sent on V7", [SUSPENSION], [], violation("waits on nothing"), { version: 7 }],
  ["entries before an error", [RUN, PROPOSE, SLEEP, ERROR], [RUN, COMPLETION, SLEEP], boom],
  ["an output before an error", [OUTPUT, ERROR], [OUTPUT], boom],
  ["a second terminator", [OUTPUT, END, ERROR], [OUTPUT], { kind: "ended" }],
  ["junk after the terminator", [SLEEP, ERROR, "ffffffffffffffff ff"], [SLEEP], boom],
  ["half a frame after the terminator", [OUTPUT, END, "0401"], [OUTPUT], { kind: "ended" }],
  ["a proposal for a replayed run", [PROPOSE, SUSPENSION], [COMPLETION], suspended, { openRuns: new Set([1]) }],
  ["a proposal without a run", [SLEEP, PROPOSE, SUSPENSION], [SLEEP], violation("completion 1, which no open run has")],
  ["a second proposal for a run", [RUN, PROPOSE, PROPOSE_AGAIN, SUSPENSION], [RUN, COMPLETION], suspended],
  [
    "two proposals, whose completions keep the order of the proposals",
    [RUN, RUN_2, PROPOSE_2, PROPOSE, SUSPENSION],
    [RUN, RUN_2, "8011000000000007 0802 2a030a0132", COMPLETION],
    suspended,
  ],
  [
    "a proposal that asks for an ack",
    [RUN, "0005800000000005 0801 720130", SUSPENSION_V7],
    [RUN, COMPLETION],
    suspended,
    { version: 7 },
  ],
  ["a proposal without a result", [RUN, "0005000000000002 0801"], [RUN], violation("no result")],
  ["awaiting-on before a suspension", [SLEEP, AWAITING_ON, SUSPENSION_V7], [SLEEP], suspended, { version: 7 }],
  ["awaiting-on in V6, which has no such message", [AWAITING_ON, SUSPENSION], [], suspended],
  ["a start", [RUN, "0000000000000000"], [RUN], violation("must not send Start")],
  ["a command ack", ["0004000000000000"], [], violation("must not send CommandAck")],
  ["a proposal ack", ["0007000000000002 0801"], [], violation("must not send ProposeRunCompletionAck"), { version: 7 }],
  ["a control frame that is not known", ["0008000000000000"], [], violation("0x0008")],
  ["a notification", [RUN, COMPLETION], [RUN], violation("notifications such as RunCompletion")],
  ["an input", ["0400000000000005 72030a0131"], [], violation("must not send the input")],
  ["an unused command code", ["040f000000000000"], [], violation("0x040f is no known command")],
  ["a command code of a later version", [RUN, "0415000000000000"], [RUN], violation("0x0415 is no known command")],
  ["a custom entry", ["fc00000000000000"], [], violation("custom entries such as 0xfc00")],
  ["a command that cannot be read", [RUN, "040c000000000002 0896"], [RUN], violation("Sleep (0x040c) is not readable")],
  [
    "a terminator that cannot be read",
    [RUN, "0002000000000001 08"],
    [RUN],
    violation("Error (0x0002) is not readable"),
  ],
  ["an output without a result", ["0401000000000000"], [], violation("has no result")],
  ["a state without a value", ["0403000000000003 0a016b"], [], violation("has no value")],
  ["a signal without a name", ["0410000000000002 2200"], [], violation("names no signal")],
  ["a signal without a result", ["0410000000000002 1001"], [], violation("has no result")],
  ["a promise command without a completion", ["040b000000000003 0a0170"], [], violation("has no completion")],
  ["an attach without a target", ["0412000000000002 5801"], [], violation("has no target")],
  ["an awakeable completion without a result", ["0414000000000003 0a0161"], [], violation("has no result")],
  ["an eager state without a result", ["0407000000000003 0a016b"], [], violation("has no result")],
  [
    "a message above the limit",
    [RUN, "0401 0000 000003e9"],
    [RUN],
    { kind: "too-large", sizeBytes: 1001, limitBytes: 1000 },
  ],
];

test.each(rows)("%s", (_what, frames, kept, ending, changed) => {
  for (const how of ["eof", "broken"] as const) {
    const reply = converse(frames.join(""), how, changed);
    expect(framesOf(reply.received)).toEqual(packed(...kept));
    expect(reply.ending).toEqual(ending);
  }
});

type CutRow = [what: string, frames: string[], how: "eof" | "broken", kept: string[], words: string];
const cutRows: CutRow[] = [
  ["nothing at all", [], "eof", [], "before the end of the attempt"],
  ["a break after entries", [RUN, PROPOSE, SLEEP], "broken", [RUN, COMPLETION, SLEEP], "before the end of the attempt"],
  ["an end in the middle of a frame", [RUN, "0401000000"], "eof", [RUN], "after 5 bytes of it"],
  ["an output, then a plain end of the response", [OUTPUT], "eof", [OUTPUT], "before the end of the attempt"],
  ["an output, then a break", [RUN, PROPOSE, OUTPUT], "broken", [RUN, COMPLETION], "before the end of the attempt"],
  ["an output, then half a frame", [RUN, OUTPUT, "0003"], "eof", [RUN], "after 2 bytes"],
  [
    "an output before a late proposal, then a break",
    [RUN, OUTPUT, PROPOSE],
    "broken",
    [RUN, COMPLETION],
    "before the end of the attempt",
  ],
  [
    "an output before another command, then a break",
    [OUTPUT, SLEEP],
    "broken",
    [OUTPUT, SLEEP],
    "before the end of the attempt",
  ],
];

test.each(cutRows)("without a terminator: %s", (_what, frames, how, kept, words) => {
  const reply = converse(frames.join(""), how);
  expect(framesOf(reply.received)).toEqual(packed(...kept));
  expect(reply.ending).toEqual(cut(words));
});

test("the ending has the transport's message if no terminator came", () => {
  expect(new Conversation(setting()).finish("broken", "socket hang up").ending).toEqual(cut("attempt: socket hang up"));
});

test("an error is read with all its fields", () => {
  const fields = "08f403 1204626f6f6d 1a0461742078 2001 2a027230 309108 40dc0b";
  const told = {
    ...boom,
    stacktrace: "at x",
    related: { commandIndex: 1, commandName: "r0", commandType: 0x0411 },
    nextRetryDelayMs: 1500,
  };
  expect(converse(`000200000000001b ${fields}`).ending).toEqual(told);
  expect(converse(`000200000000001d ${fields} 4801`).ending).toEqual({ ...told, behavior: "pause" });
  expect(converse(`000200000000001d ${fields} 4802`).ending).toEqual({ ...told, behavior: "fail" });
  expect(converse(`000200000000001d ${fields} 4809`).ending).toEqual(told);
});

test("a retry delay above the largest safe number is read as that number", () => {
  const { ending } = converse("000200000000000b 40ffffffffffffffffff01");
  expect(ending).toMatchObject({ kind: "error", nextRetryDelayMs: Number.MAX_SAFE_INTEGER });
});

test("a failed proposal becomes a failed completion, byte for byte, unknown fields included", () => {
  const reply = converse(`${RUN} 0005000000000017 0801 7a13 ${BAD_WITH_METADATA} 980601`, "eof", { version: 6 });
  expect(reply.received[1]).toMatchObject({ kind: "proposal", completionId: 1, failed: true });
  expect(framesOf(reply.received)[1]).toBe(packed(`8011000000000017 0801 3213 ${BAD_WITH_METADATA} 980601`)[0]);
});

test("a failure in a V5 journal has no metadata", () => {
  const reply = converse(`${RUN} 0005000000000014 0801 7a10 ${BAD_WITH_METADATA}`, "eof", { version: 5 });
  expect(framesOf(reply.received)[1]).toBe(packed(`801100000000000c 0801 3208 ${BAD}`)[0]);
});

test("a proposal with an unreadable failure is a violation", () => {
  expect(converse(`${RUN} 0005000000000005 0801 7a01 08`).ending).toEqual(violation("is not readable"));
});

test("a tree of more than 1000 levels is too deep", () => {
  let tree = Uint8Array.of(0x08, 0x01);
  const lengthOf = (size: number) => (size < 128 ? [size] : [(size & 127) | 128, size >>> 7]);
  for (let depth = 1; depth <= 1001; depth++) tree = Uint8Array.of(0x22, ...lengthOf(tree.length), ...tree);
  const conversation = new Conversation({ ...setting(7), messageSizeMaxBytes: 10_000 });
  const header = new Uint8Array(8);
  new DataView(header.buffer).setUint16(0, 1);
  new DataView(header.buffer).setUint32(4, tree.length);
  conversation.receive(header);
  conversation.receive(tree);
  expect(conversation.finish("eof").ending).toEqual({ kind: "too-deep", levelsMax: 1000 });
});

test("entries can be read before the end of the response", () => {
  const conversation = new Conversation(setting());
  conversation.receive(hex(RUN));
  expect(framesOf(conversation.received)).toEqual(packed(RUN));
  expect(conversation.terminated).toBe(false);
  conversation.receive(hex(PROPOSE));
  expect(framesOf(conversation.received)).toEqual(packed(RUN, COMPLETION));
  conversation.receive(hex(SUSPENSION));
  expect(conversation.terminated).toBe(true);
  conversation.receive(hex(RUN_2));
  expect(conversation.finish("broken").received).toHaveLength(2);
});

test("the caller's set of open runs is not changed", () => {
  const openRuns = new Set([1]);
  converse(PROPOSE, "eof", { openRuns });
  expect(openRuns).toEqual(new Set([1]));
});

test("each command is read with its name", () => {
  for (const { name, hex: digits, value } of COMMAND_VECTORS) {
    if (name === "Input") continue;
    const [received] = converse(digits, "eof", { version: 7 }).received;
    expect(received).toMatchObject({ kind: "command", name, message: value, type: parseInt(digits.slice(0, 4), 16) });
    expect(toHex(received!.frame)).toBe(toHex(hex(digits)));
  }
});

test("an attempt with too many entries is a violation, and no entry is kept", () => {
  const sleeps = hex(SLEEP.repeat(100));
  const journalEntries = JOURNAL_MAX_ENTRIES - 250;
  const conversation = new Conversation({ ...setting(), journalEntries });
  conversation.receive(sleeps);
  conversation.receive(sleeps);
  expect(conversation.received).toHaveLength(200);
  expect(conversation.terminated).toBe(false);
  conversation.receive(sleeps);
  expect(conversation.finish("eof")).toEqual({ received: [], ending: violation("more than 100000 entries") });
});

test("an attempt has the same limits whether its end comes in the chunk of its last entry or in a later chunk", () => {
  const tooMany = { ...setting(), journalEntries: JOURNAL_MAX_ENTRIES - 2 };
  const tooLarge = { ...setting(), messageSizeMaxBytes: 20 };
  const attempts: [string, ConversationSetting, string][] = [
    [SLEEP.repeat(3) + SUSPENSION, tooMany, "more than 100000 entries"],
    [SLEEP.repeat(20) + SUSPENSION, tooLarge, "more than 160 bytes"],
  ];
  for (const [digits, held, words] of attempts) {
    const [whole, pieced] = [new Conversation(held), new Conversation(held)];
    whole.receive(hex(digits));
    for (const byte of hex(digits)) pieced.receive(Uint8Array.of(byte));
    expect(pieced.finish("eof")).toEqual({ received: [], ending: violation(words) });
    expect(whole.finish("eof")).toEqual(pieced.finish("eof"));
  }
});

test("an attempt at the limit is kept, and frames after its end are ignored", () => {
  const held = { ...setting(), journalEntries: JOURNAL_MAX_ENTRIES - 3 };
  const conversation = new Conversation(held);
  conversation.receive(hex(SLEEP.repeat(3) + SUSPENSION + SLEEP.repeat(3)));
  expect(conversation.finish("eof").ending.kind).toBe("suspended");
  expect(conversation.received).toHaveLength(3);
});

test("frames that are no entries count toward the limit of bytes", () => {
  const conversation = new Conversation({ ...setting(7), messageSizeMaxBytes: 100 });
  const awaiting = hex(AWAITING_ON);
  let sentBytes = 0;
  for (; !conversation.terminated && sentBytes < 10_000; sentBytes += awaiting.length) conversation.receive(awaiting);
  expect(conversation.finish("eof").ending).toEqual(violation("more than 800 bytes"));
  expect(sentBytes).toBeLessThanOrEqual(800 + awaiting.length);
});
