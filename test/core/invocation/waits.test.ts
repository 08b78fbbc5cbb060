/** Tests what an invocation waits for, given its phase, its await and what has arrived. */
import { describe, expect, test } from "vitest";
import type { CommandEntry, Entry, NotificationEntry } from "../../../shared/core/invocation/entry.ts";
import type { Command } from "../../../shared/core/protocol/commands.ts";
import { append } from "../../../shared/core/invocation/journal.ts";
import type { Invocation } from "../../../shared/core/invocation/invocation.ts";
import { type Wait, waitsOf } from "../../../shared/core/invocation/waits.ts";
import type { Await } from "../../../shared/core/model/await-tree.ts";
import {
  awaiting,
  command,
  completion,
  CREATED_MS,
  FAILURE,
  INPUT,
  invocationIn,
  LATER_MS,
  namedSignal,
  NOW_MS,
  run,
  signal,
  sleep,
} from "./sample-invocation.ts";

const WRITTEN_MS = CREATED_MS + 500;
const target = { service: "S", handler: "h" };
const child = { target, input: new Uint8Array(0), headers: [], idCompletionId: 1 };
const call = command("Call", { kind: "call", child, completionId: 2 });
const childId: NotificationEntry = { ...completion(1), invocationId: "inv_child" };
const lookup = { kind: "workflow", service: "W", key: "k" } as const;
const attach = command("AttachInvocation", { kind: "attach", lookup, completionId: 4 });
const promise = command("GetPromise", { kind: "get-promise", name: "approved", completionId: 5 });
const named: CommandEntry = { ...run(6), name: "charge" };
const lazy: Command = { kind: "get-state", key: "k", completionId: 7 };
const entries: readonly Entry[] = [
  INPUT,
  call,
  childId,
  sleep(3, LATER_MS),
  attach,
  promise,
  named,
  command("GetLazyState", lazy),
];
const moments = entries.map((_, index) => CREATED_MS + index);

function suspended(tree: Partial<Await>, fresh: readonly NotificationEntry[] = []): Invocation {
  const start = invocationIn("suspended");
  return {
    ...start,
    journal: append({ ...start.journal, entries: [], commandCount: 0 }, entries),
    phase: { status: "suspended", awaiting: { ...awaiting(), ...tree }, fresh },
    modifiedAtMs: WRITTEN_MS,
  };
}

const waits = (invocation: Invocation, arrived: readonly NotificationEntry[] = []): readonly Wait[] =>
  waitsOf(invocation, { moments, arrived });

describe("a suspended invocation waits for", () => {
  test.each<readonly [string, Partial<Await>, readonly object[]]>([
    ["a call", { completions: [2] }, [{ kind: "call", target, childId: "inv_child", sinceMs: CREATED_MS + 1 }]],
    ["a timer", { completions: [3] }, [{ kind: "timer", untilMs: LATER_MS, sinceMs: CREATED_MS + 3 }]],
    ["an attach", { completions: [4] }, [{ kind: "attach", lookup, sinceMs: CREATED_MS + 4 }]],
    ["a promise", { completions: [5] }, [{ kind: "promise", name: "approved", sinceMs: CREATED_MS + 5 }]],
    ["a run", { completions: [6] }, [{ kind: "command", type: "Run", name: "charge", sinceMs: CREATED_MS + 6 }]],
    ["a state", { completions: [7] }, [{ kind: "command", type: "GetLazyState", name: "", sinceMs: CREATED_MS + 7 }]],
    ["an awakeable", { signals: [1, 17] }, [{ kind: "signal", signal: { index: 17 }, sinceMs: CREATED_MS + 7 }]],
    ["a named signal", { namedSignals: ["go"] }, [{ kind: "signal", signal: { name: "go" }, sinceMs: CREATED_MS + 7 }]],
    ["a cancel alone", {}, [{ kind: "signal", signal: { index: 1 }, sinceMs: CREATED_MS + 7 }]],
    ["nothing, if the awaited completion belongs to no command", { completions: [99] }, []],
  ])("%s", (_, tree, expected) => {
    expect(waits(suspended(tree))).toEqual(expected);
  });

  test("each leaf of a nested await once, commands first", () => {
    const tree = { completions: [3], nested: [{ ...awaiting(2, 3), namedSignals: ["go"], signals: [18, 17] }] };
    expect(waits(suspended(tree)).map((wait) => ("signal" in wait ? wait.signal : wait.kind))).toEqual([
      "call",
      "timer",
      { index: 17 },
      { index: 18 },
      { name: "go" },
    ]);
  });

  test("only the rest of an await after a part has arrived", () => {
    const tree = { completions: [2, 3, 4], signals: [17], namedSignals: ["go"] };
    const left = waits(suspended(tree, [completion(4)]), [completion(2), signal(17), namedSignal("go")]);
    expect(left.map(({ kind }) => kind)).toEqual(["timer"]);
  });

  test("all results of the await, if all of them have arrived and the wake is still under way", () => {
    expect(waits(suspended({ completions: [3] }), [completion(3)]).map(({ kind }) => kind)).toEqual(["timer"]);
  });
});

test.each<readonly [Invocation, readonly object[]]>([
  [invocationIn("scheduled"), [{ kind: "schedule", untilMs: LATER_MS, sinceMs: CREATED_MS }]],
  [invocationIn("pending"), [{ kind: "key", sinceMs: CREATED_MS }]],
  [invocationIn("ready"), [{ kind: "driver", sinceMs: CREATED_MS }]],
  [
    invocationIn("running", { attempts: 3 }),
    [{ kind: "attempt", attempt: 3, steps: [{ name: "", sinceMs: CREATED_MS + 1 }], sinceMs: CREATED_MS }],
  ],
  [
    invocationIn("backing-off", { attempts: 3, lastFailure: FAILURE }),
    [{ kind: "retry", untilMs: LATER_MS, attempt: 4, failure: FAILURE, sinceMs: NOW_MS }],
  ],
  [
    invocationIn("backing-off", { attempts: 0 }),
    [{ kind: "retry", untilMs: LATER_MS, attempt: 1, failure: undefined, sinceMs: CREATED_MS }],
  ],
  [invocationIn("paused", { lastFailure: FAILURE }), [{ kind: "resume", sinceMs: NOW_MS }]],
  [invocationIn("paused"), [{ kind: "resume", sinceMs: CREATED_MS }]],
  [invocationIn("completed"), []],
])("%# an invocation that is not suspended has at most one wait", (invocation, expected) => {
  expect(waits(invocation)).toEqual(expected);
});
