/** The shapes of the write budget that need a key: objects, edits of their state, and a workflow with a promise. */
import { expect } from "vitest";
import { editState } from "../../../shared/engine/operate/edit-state.ts";
import { cost, sendAndWait, type Shape } from "./budget-shape.ts";

const VALUE = "v".repeat(100);
const SLEEP_MS = 60_000;

const OBJECTS: readonly Shape[] = [
  {
    name: "exclusive call, uncontended",
    sum: "call 2 + lock 2",
    design: cost(4, 1, 3),
    reads: { onPath: 0, inAll: 3 },
    play: async (play) => expect(await play.call("Register/k/set", VALUE)).toBe(VALUE),
  },
  {
    name: "exclusive call, a set and a run",
    sum: "call 2 + lock 2 + attempt 1",
    design: cost(5, 1, 3),
    measured: {
      ...cost(6, 1, 3),
      why: "a change that is committed before the end is shown at once: the lock once more (ADR 0012)",
    },
    reads: { onPath: 0, inAll: 3 },
    play: async (play) => expect(await play.call("Register/k/setAndRun", VALUE)).toBe(VALUE),
  },
  {
    name: "shared call",
    sum: "call 2",
    design: cost(2, 1, 3),
    reads: { onPath: 1, inAll: 3 },
    play: async (play) => expect(await play.call("Register/k/get", null)).toBeNull(),
  },
  {
    name: "2 exclusive sends, one waits",
    sum: "2 × send 3 + lock 2 + contended 9",
    design: cost(17, 2, 6),
    measured: {
      ...cost(15, 2 + 3, 6),
      why: "contended is 7, without a transaction: 2 refused, ticket 2, park 1, give-back 1, end 1 (ADR 0011); a waiting invocation is in the open index",
    },
    reads: { onPath: 9, inAll: 9 },
    play: async (play) => {
      await play.send("Register/k/atGate", "first");
      play.work();
      await play.until(() => play.stage.deployment.atGate === 1, "the handler waits at the gate");
      await play.send("Register/k/set", VALUE);
      play.stage.deployment.openGate();
      await play.settle();
    },
  },
  {
    name: "exclusive send that sleeps",
    sum: "send 3 + lock 2 + park and resume 2 + attempt 1 + end 1",
    design: cost(9, 1 + 2 + 1, 6),
    reads: { onPath: 6, inAll: 6 },
    play: async (play) => {
      await sendAndWait(play, "Register/k/sleep", SLEEP_MS);
      await play.nextMessage();
    },
  },
  {
    name: "child call of an object, same driver",
    sum: "call 2 + child 2 + 1 + lock 2",
    design: cost(7, 2, 3),
    reads: { onPath: 0, inAll: 2 },
    play: async (play) => expect(await play.call("Registrar/set", VALUE)).toBe(VALUE),
  },
];

const KEY = { service: "Register", key: "k" };
const VALUES = new Map([["value", new TextEncoder().encode(JSON.stringify(VALUE))]]);

const EDITS: readonly Shape[] = [
  {
    name: "edit of a state, key is free",
    sum: "the lock 1",
    design: cost(1, 0, 0),
    reads: { onPath: 1, inAll: 1 },
    play: async (play) => expect(await editState(play.front.engine, KEY, "object", VALUES)).toBe("applied"),
  },
  {
    name: "edit of a state, behind a call",
    sum: "call 2 + lock 2 + the edit 1",
    design: cost(5, 1, 3),
    measured: {
      ...cost(9, 1, 3),
      why: "the edit waits its turn as a call does: 2 refused, ticket 2, applied 1 (ADR 0012)",
    },
    reads: { onPath: 4, inAll: 7 },
    play: async (play) => {
      const answer = play.call("Register/k/atGate", VALUE);
      await play.until(() => play.stage.deployment.atGate === 1, "the handler waits at the gate");
      expect(await editState(play.front.engine, KEY, "object", VALUES)).toBe("queued");
      play.stage.deployment.openGate();
      expect(await answer).toBe(VALUE);
    },
  },
];

const WORKFLOW: Shape = {
  name: "workflow, a shared call completes its promise",
  sum: "send 3 + lock 2 + park and resume 3 + end 1 + call 2 + an attempt of each 2",
  design: cost(13, 2 + 2 + 1, 9),
  measured: {
    ...cost(18, 2 + 2 + 1, 9),
    why: "the state is shown when it is committed 1; the promise 1 and its listener 1, and both expire with the workflow 2",
  },
  reads: { onPath: 18, inAll: 20 },
  play: async (play) => {
    await sendAndWait(play, "Approval/w/run", null);
    expect(await play.call("Approval/w/approve", VALUE)).toBe(VALUE);
    await play.settle();
  },
};

export const KEYED: readonly Shape[] = [...OBJECTS, ...EDITS, WORKFLOW];
