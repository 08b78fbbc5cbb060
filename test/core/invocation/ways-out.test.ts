/** Tests the ways out of a journal mismatch: which ones an invocation has, and from which entry a restart can begin. */
import { expect, test } from "vitest";
import { append } from "../../../shared/core/invocation/journal.ts";
import { waysOut } from "../../../shared/core/invocation/ways-out.ts";
import type { Mismatch } from "../../../shared/core/model/attempt-failure.ts";
import type { DeploymentId } from "../../../shared/core/model/ids.ts";
import { ACCEPTANCE, command, completion, INPUT, invocationIn, PIN, run, sleep } from "./sample-invocation.ts";

const ID = ACCEPTANCE.id;
const EMPTY = { ...invocationIn("ready").journal, entries: [], commandCount: 0 };

const IN_PLACE = { deploymentId: "dp_1" as DeploymentId, isRegistered: true };
const recorded = { type: "Run" };

const mismatchAt = (entry: number): Mismatch => ({ index: entry, entry, deploymentId: "dp_1", recorded, offered: {} });
const journalOf = (...entries: Parameters<typeof append>[1]) => append(EMPTY, [INPUT, ...entries]);

/** The commands of one way out, without `stepwell invocations` at their beginning. */
function commandsOf(action: string, ...args: Parameters<typeof waysOut>): readonly string[] | undefined {
  const way = waysOut(...args).find((one) => one.action === action);
  return way?.commands.map((command) => command.replace("stepwell invocations ", ""));
}

test.each([
  ["after a completed run", journalOf(run(1), completion(1), sleep(2, 5)), 3, 2],
  ["behind an open sleep", journalOf(run(1), completion(1), sleep(2, 5), run(3)), 4, 2],
  ["at the first command", journalOf(run(1)), 1, 0],
  ["behind the end of the journal", journalOf(run(1), completion(1)), 3, 2],
  ["if only the first command is open", journalOf(run(1), run(2), completion(2)), 3, 0],
])("a restart keeps the completed commands before the mismatch: %s", (_where, journal, entry, from) => {
  const invocation = invocationIn("backing-off", { journal, pin: PIN });
  expect(commandsOf("restart", invocation, mismatchAt(entry))).toEqual([
    `kill ${ID}`,
    `restart ${ID} --from ${from} --deployment keep`,
  ]);
});

test("a restart keeps nothing of a journal of an old protocol version", () => {
  const journal = journalOf(run(1), completion(1), sleep(2, 5));
  const invocation = invocationIn("backing-off", { journal, pin: { ...PIN, protocolVersion: 5 } });
  expect(commandsOf("restart", invocation, mismatchAt(3))?.at(-1)).toContain("--from 0 ");
});

test("the run of a workflow offers no restart", () => {
  const invocation = invocationIn("backing-off", { acceptance: { ...ACCEPTANCE, handlerType: "workflow" } });
  expect(waysOut(invocation, mismatchAt(1), IN_PLACE).map(({ action }) => action)).toEqual(["restore", "move", "kill"]);
});

test.each([
  ["is not kept", 0, "is not kept"],
  ["is kept for a minute", 60_000, "is kept for only 1m"],
])(
  "an invocation whose journal %s offers no restart, and the text of the kill says what is lost",
  (_how, journalRetentionMs, told) => {
    const invocation = invocationIn("backing-off", { acceptance: { ...ACCEPTANCE, journalRetentionMs }, pin: PIN });
    const ways = waysOut(invocation, mismatchAt(1));
    expect(ways.map(({ action }) => action)).not.toContain("restart");
    expect(ways.find(({ action }) => action === "kill")?.text).toContain(`its journal ${told} after the end`);
  },
);

test("the text of a kill says that calls end too if the invocation waits for them", () => {
  const child = { target: { service: "S", handler: "h" }, idCompletionId: 1 } as never;
  const call = command("Call", { kind: "call", child, completionId: 2 });
  const waiting = journalOf(call, completion(1));
  const killOf = (journal: typeof waiting) =>
    waysOut(invocationIn("backing-off", { journal, pin: PIN }), mismatchAt(1)).at(-1)?.text;
  expect(killOf(waiting)).toContain("The calls that it waits for end too.");
  expect(killOf(append(waiting, [completion(2)]))).toBe("End the invocation. Nothing that it did is undone.");
});

test("the text of a restart states how soon it must follow the kill, and what the callers get", () => {
  const acceptance = { ...ACCEPTANCE, idempotencyKey: "k", journalRetentionMs: 3_600_000 };
  const ways = waysOut(invocationIn("backing-off", { acceptance, pin: PIN }), mismatchAt(1));
  const text = ways.find(({ action }) => action === "restart")?.text;
  expect(text).toContain("within 1h of that start it again");
  expect(text).toContain("Callers get the failure of the kill, also under the idempotency key");
});

test.each([
  ["is paused", "paused", false],
  ["backs off", "backing-off", false],
  ["is suspended", "suspended", false],
  ["is about to be attempted", "ready", true],
  ["has an attempt under way", "running", true],
] as const)(
  "an invocation that %s moves to the registered deployment that recorded the entry, after a pause only if a resume needs one",
  (_how, status, needsPause) => {
    const recorder = { deploymentId: "dp_2" as DeploymentId, isRegistered: true };
    const resume = `resume ${ID} --deployment dp_2`;
    const commands = commandsOf("move", invocationIn(status), mismatchAt(1), recorder);
    expect(commands).toEqual(needsPause ? [`pause ${ID}`, resume] : [resume]);
    expect(commandsOf("restore", invocationIn(status), mismatchAt(1), recorder)).toBeUndefined();
  },
);

test.each([
  ["runs other code now", IN_PLACE, true, /^Start the former code at another address/],
  [
    "ran other code and is no longer registered",
    { ...IN_PLACE, isRegistered: false },
    false,
    /^Deployment dp_1, which/,
  ],
  [
    "is no longer registered",
    { deploymentId: "dp_2" as DeploymentId, isRegistered: false },
    false,
    /^Deployment dp_2, which/,
  ],
  ["is unknown", undefined, false, /^The deployment that recorded the entry is unknown/],
])(
  "if the deployment that recorded the entry %s, the way to move first registers the former code",
  (_how, recorder, hasRestore, text) => {
    const ways = waysOut(invocationIn("paused"), mismatchAt(1), recorder);
    const move = ways.find(({ action }) => action === "move")!;
    expect(move.text).toMatch(text);
    expect(move.commands).toEqual([
      "stepwell deployments register <address>",
      `stepwell invocations resume ${ID} --deployment <deployment-id>`,
    ]);
    expect(ways.some(({ action }) => action === "restore")).toBe(hasRestore);
  },
);

test("a mismatch behind the end of the journal has no recorded entry, and the text says so", () => {
  const { recorded: _, ...mismatch } = mismatchAt(9);
  const move = waysOut(invocationIn("paused"), mismatch).find(({ action }) => action === "move");
  expect(move?.text).toMatch(/^The journal has no entry there/);
});
