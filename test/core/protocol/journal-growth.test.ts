/** Tests the limit on the bytes that one attempt may add to its journal. */
import { expect, test } from "vitest";
import { Conversation } from "../../../shared/core/protocol/conversation.ts";
import { hex } from "./hex.ts";
import { setting, SLEEP, SUSPENSION } from "./sample-frames.ts";

test("an attempt that adds more bytes than its limit ends with a violation, and none of its entries is kept", () => {
  const sleeps = hex(SLEEP.repeat(10));
  const conversation = new Conversation({ ...setting(), journalLeftBytes: sleeps.length });
  conversation.receive(sleeps);
  expect([conversation.received.length, conversation.terminated]).toEqual([10, false]);
  conversation.receive(hex(SLEEP));
  const message = "the journal would be larger than this server keeps in memory";
  const ending = { kind: "violation", message: expect.stringContaining(message) };
  expect(conversation.finish("eof")).toEqual({ received: [], ending });
});

test("an attempt without entries ends as its reply says, although the journal may not grow", () => {
  const conversation = new Conversation({ ...setting(), journalLeftBytes: 0 });
  conversation.receive(hex(SUSPENSION));
  expect(conversation.finish("eof").ending.kind).toBe("suspended");
});
