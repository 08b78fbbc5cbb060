/** Tests the effects of a segment. */
import { describe, expect, test } from "vitest";
import { effectsOf } from "../../../shared/core/invocation/effects.ts";
import type { CommandEntry, Entry, NotificationEntry } from "../../../shared/core/invocation/entry.ts";
import { advance } from "../../../shared/core/invocation/advance.ts";
import { append } from "../../../shared/core/invocation/journal.ts";
import type { InvocationId, Nonce } from "../../../shared/core/model/ids.ts";
import { ACCEPTANCE, attemptEnded, command, completion, invocationIn, NOW_MS, output } from "./sample-invocation.ts";

const CHILD = { target: { service: "S", handler: "h" }, input: new Uint8Array(0), headers: [] };
const call = (idCompletionId: number, completionId: number): CommandEntry =>
  command("Call", { kind: "call", child: { ...CHILD, idCompletionId }, completionId });
const send = (idCompletionId: number, startAtMs = 0): CommandEntry =>
  command("OneWayCall", { kind: "send", child: { ...CHILD, idCompletionId }, startAtMs });
const childId = (completionId: number, invocationId: string): NotificationEntry => ({
  ...completion(completionId),
  type: "CallInvocationId",
  invocationId,
});
const cancelOf = (invocationId: string) =>
  command("SendSignal", { kind: "signal", invocationId, signal: { index: 1 }, result: undefined });

function effectsAfter(entries: readonly Entry[], invocation = invocationIn("running")) {
  const { segment } = advance(invocation, attemptEnded({ kind: "cut" }, { entries }));
  return effectsOf(invocation, segment!);
}

describe("the effects of a segment", () => {
  test("come in the order of the commands, each child with the id that follows its command", () => {
    const entries = [call(2, 3), childId(2, "inv_a"), send(4), childId(4, "inv_b"), send(5, 99), childId(5, "inv_c")];
    expect(effectsAfter(entries)).toMatchObject([
      { kind: "accept-child", childId: "inv_a", completionId: 3 },
      { kind: "accept-child", childId: "inv_b" },
      { kind: "accept-child", childId: "inv_c", startAtMs: 99 },
    ]);
    expect(effectsAfter([send(4), childId(4, "inv_b")])[0]).not.toHaveProperty("startAtMs");
  });

  test("name the attempt that asked for a child, also if the segment is read back", () => {
    const { segment } = advance(
      invocationIn("running"),
      attemptEnded({ kind: "cut" }, { entries: [send(4), childId(4, "inv_b")] }),
    );
    const children = effectsOf(invocationIn("ready"), segment!);
    expect(children).toMatchObject([{ kind: "accept-child", attempt: segment!.attempt!.number }]);
    expect(segment!.attempt!.number).toBeGreaterThan(0);
  });

  test("two equal signals get two sender keys, and a redo derives the same keys", () => {
    const entries = [cancelOf("inv_x"), cancelOf("inv_x")];
    const keys = () => effectsAfter(entries).map((effect) => effect.kind === "signal" && effect.senderKey);
    expect(new Set(keys()).size).toBe(2);
    expect(keys()).toEqual(keys());
  });

  test("an equal signal of a later segment gets another sender key", () => {
    const invocation = invocationIn("running");
    const later = { ...invocation, journal: append(invocation.journal, [cancelOf("inv_x")]) };
    expect(effectsAfter([cancelOf("inv_x")])).not.toEqual(effectsAfter([cancelOf("inv_x")], later));
  });

  test("the sender keys of one invocation sort in the order of its commands", () => {
    const signals = effectsAfter(Array.from({ length: 1_200 }, () => cancelOf("inv_x"))).filter(
      (effect) => effect.kind === "signal",
    );
    const keys = signals.map(({ senderKey }) => senderKey);
    expect([keys.toSorted(), new Set(keys).size]).toEqual([keys, 1_200]);
  });

  test("the end answers the caller and attached invocations", () => {
    const source = {
      kind: "call",
      callerId: "inv_caller" as InvocationId,
      callerNonce: "n" as Nonce,
      completionId: 8,
      callerTarget: "S/h",
    } as const;
    const invocation = invocationIn("running", { acceptance: { ...ACCEPTANCE, source } });
    const { segment } = advance(invocation, attemptEnded({ kind: "ended" }, { entries: [output()] }));
    expect(effectsOf(invocation, segment!)).toMatchObject([
      { kind: "deliver", callerId: "inv_caller", callerNonce: "n", completionId: 8, result: { kind: "success" } },
      { kind: "answer-sinks", result: { kind: "success" } },
    ]);
  });

  test("a kill also kills the child of each open call, naming caller and completion id; an ordinary end kills no child", () => {
    const invocation = invocationIn("running");
    const answered = [call(2, 3), childId(2, "inv_a"), completion(3)];
    const sent = [send(4), childId(4, "inv_b")];
    const open = [call(5, 6), childId(5, "inv_c")];
    const parent = { ...invocation, journal: append(invocation.journal, [...answered, ...sent, ...open]) };
    const kills = (segment: ReturnType<typeof advance>["segment"]) =>
      effectsOf(parent, segment!).filter(({ kind }) => kind === "kill-child");
    const { id: callerId, nonce: callerNonce } = parent.acceptance;
    expect(kills(advance(parent, { kind: "kill", atMs: NOW_MS }).segment)).toEqual([
      { kind: "kill-child", childId: "inv_c", callerId, callerNonce, completionId: 6 },
    ]);
    const ended = advance(parent, attemptEnded({ kind: "ended" }, { entries: [output()] })).segment;
    expect(kills(ended)).toEqual([]);
  });

  test("an ended invocation attaches to nothing, reads no output and no promise, and performs its other effects", () => {
    const asks = [
      command("AttachInvocation", { kind: "attach", lookup: { kind: "id", invocationId: "inv_x" }, completionId: 2 }),
      command("GetInvocationOutput", {
        kind: "get-output",
        lookup: { kind: "id", invocationId: "inv_x" },
        completionId: 3,
      }),
      command("GetPromise", { kind: "get-promise", name: "p", completionId: 4 }),
    ];
    const kinds = (ending: "ended" | "cut", entries: readonly Entry[]) => {
      const invocation = invocationIn("running");
      const { segment } = advance(invocation, attemptEnded({ kind: ending }, { entries }));
      return effectsOf(invocation, segment!).map(({ kind }) => kind);
    };
    expect(kinds("cut", asks)).toEqual(["attach", "get-output", "get-promise"]);
    expect(kinds("ended", [...asks, cancelOf("inv_x"), output()])).toEqual(["signal", "answer-sinks"]);
  });
});
