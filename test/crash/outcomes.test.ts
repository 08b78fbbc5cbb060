/** Tests which outcomes fit their plans, and the complaints about the others. */
import { describe, expect, test } from "vitest";
import { newAccount, takeAccount } from "./account.ts";
import type { Answering, Counted, Done, Outcome } from "./outcome.ts";
import type { Op } from "./plan.ts";

describe("an outcome", () => {
  const recorded = (step: string) => ({ step, nonce: `of ${step}`, atMs: 0 });
  const complaintsFrom = async (
    found: ReadonlyMap<string, Outcome>,
    op: Op,
    ...done: readonly Done[]
  ): Promise<string> => {
    const account = newAccount();
    await takeAccount(account, { ops: [op] }, { invocationId: "inv", done }, async (id) => found.get(id)!);
    return account.complaints.join();
  };
  const sent: Outcome = { invocationId: "sent", done: [{ kind: "run", recorded: [recorded("complete")] }] };
  const complaintsOf = (op: Op, ...done: readonly Done[]): Promise<string> =>
    complaintsFrom(new Map(["sent", "x"].map((id) => [id, sent])), op, ...done);
  const run: Op = { kind: "run", step: "a" };
  const sleep: Op = { kind: "sleep", before: "a", after: "b", ms: 1 };
  const awakeable: Op = { kind: "awakeable", publish: "a", delayMs: 0 };

  test.each<[string, Op, Done | undefined, RegExp]>([
    ["another step", run, { kind: "run", recorded: [recorded("b")] }, /recorded b instead of a/],
    ["another kind", run, { kind: "parallel", recorded: [recorded("a")] }, /answered/],
    ["nothing", run, undefined, /did 0 operations/],
    [
      "another random value",
      sleep,
      { kind: "sleep", before: recorded("a"), after: recorded("b"), uuids: ["one", "two"] },
      /drew one before a sleep and two/,
    ],
    [
      "a value that no client sent",
      awakeable,
      { kind: "awakeable", recorded: recorded("a"), completer: "sent", nonce: "else" },
      /brought else, which was never sent/,
    ],
    [
      "the id of another invocation",
      { kind: "send", plan: { ops: [run] }, delayMs: 0 },
      { kind: "send", invocationId: "x" },
      /instead/,
    ],
  ])("is refused with %s", async (_, op, done, why) => {
    expect(await complaintsOf(op, ...(done === undefined ? [] : [done]))).toMatch(why);
  });

  const ran = (step: string): Done => ({ kind: "run", recorded: [recorded(step)] });
  const counted = (invocationId: string, count: number): Counted => ({
    invocationId,
    done: [ran("enter"), ran("leave")],
    key: "k",
    count,
  });
  const voted = (winners: number, answer: string, step: string): Promise<string> => {
    const answering = (id: string, won: boolean): Answering => ({ invocationId: id, done: [ran("complete")], won });
    const outcome = { invocationId: "vote", done: [ran("begin"), ran("end")], answer };
    const read = { invocationId: "read", done: [], step };
    const answerers = ["first", "second"];
    const found = new Map(answerers.map((id, at) => [id, answering(id, at < winners)]));
    const done: Done = { kind: "workflow", outcome, answerers, read };
    return complaintsFrom(found, { kind: "workflow", name: "w", delaysMs: [0, 0] }, done);
  };

  test("of a workflow fits if one completion won, and the result and the state are the answer of that completion", async () => {
    expect(await voted(1, "of complete", "of complete")).toBe("");
    expect(await voted(2, "of complete", "of complete")).toMatch(/of complete,of complete won/);
    expect(await voted(0, "of complete", "of complete")).toMatch(/got of complete, and {2}won/);
    expect(await voted(1, "other", "other")).toMatch(/got other/);
    expect(await voted(1, "of complete", "begun")).toMatch(/left "begun" behind/);
  });

  test("of adds fits if it sent as many adds as planned, and all went to the planned key", async () => {
    const found = new Map([["sent", counted("sent", 1)]]);
    const done = (outcome: Counted): Done => ({ kind: "adds", sent: ["sent"], outcome });
    const judge = (sends: number, outcome = counted("called", 2)): Promise<string> =>
      complaintsFrom(found, { kind: "adds", key: "k", sends }, done(outcome));
    expect(await judge(1)).toBe("");
    expect(await judge(2)).toMatch(/sent 1 adds instead of 2/);
    expect(await judge(1, { ...counted("called", 2), key: "other" })).toMatch(/added to "other" instead of "k"/);
    expect(await judge(1, counted("sent", 2))).toMatch(/is the id of two invocations/);
  });

  test("that fits its plan is accepted", async () => {
    const done: Done = { kind: "awakeable", recorded: recorded("a"), completer: "sent", nonce: "of complete" };
    expect(await complaintsOf(awakeable, done)).toBe("");
  });
});
