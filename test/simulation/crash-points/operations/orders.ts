/** Orders of operators, in several sequences, while a handler runs and while it waits. */
import type { InvocationId } from "../../../../shared/core/model/ids.ts";
import type { Client } from "../client.ts";
import { order, type OrderKind } from "../operator.ts";
import { CHANGES, type Scenario } from "../scenarios.ts";

const WORKED = '["<a>","<b>","<c>"]';
const SLEPT = '["<before>","<after>"]';
const STOPPED = "failed 409";

const DESK = { service: "Desk" };
/** The handler waits in its driver for less than a second, and then goes on. */
const WORK_MS = 600;
/** Longer than the store is throttled, so that the handler waits on when the orders come. */
const NAP_MS = 40_000;

const SEQUENCES: readonly (readonly OrderKind[])[] = [
  ["pause", "resume"],
  ["resume", "pause", "resume"],
  ["pause", "cancel", "resume"],
  ["pause", "kill"],
  ["cancel", "kill"],
  ["kill", "cancel", "resume"],
];

type Given = (client: Client, id: InvocationId) => Promise<unknown>;

const inTurn =
  (...kinds: readonly OrderKind[]): Given =>
  async (client, id) => {
    for (const kind of kinds) {
      await order(client, id, kind);
      await client.wait(200);
    }
  };

/** Two operators give their orders at the same moment; the resumption at the end makes the invocation go on if it is paused. */
const together =
  (...kinds: readonly OrderKind[]): Given =>
  async (client, id) => {
    await Promise.all(kinds.map((kind) => order(client, id, kind)));
    await client.wait(200);
    await order(client, id, "resume");
  };

const GIVEN: readonly (readonly [what: string, given: Given, ends: readonly string[]])[] = [
  ...SEQUENCES.map((kinds): readonly [string, Given, readonly string[]] => {
    const stops = kinds.some((kind) => kind === "cancel" || kind === "kill");
    return [kinds.join(", then "), inTurn(...kinds), stops ? [STOPPED] : []];
  }),
  ["pause and cancel at once", together("pause", "cancel"), [STOPPED]],
  ["cancel and kill at once", together("cancel", "kill"), [STOPPED]],
];

export const ORDERS: readonly Scenario[] = GIVEN.flatMap(([what, given, ends]): readonly Scenario[] => [
  {
    name: `${what}, while the handler runs`,
    async play(client) {
      const id = (await client.send("work", { at: DESK, input: WORK_MS, key: "k" }))!;
      await client.wait(250);
      await given(client, id);
      await client.seek(id);
    },
    // A driver reads an order at its next step, and by then the handler may have ended.
    expected: { work: { count: [1, 1], outcomes: [WORKED, ...ends] } },
    at: CHANGES,
  },
  {
    name: `${what}, while the handler waits`,
    async play(client) {
      const id = (await client.send("nap", { input: NAP_MS, key: "k" }))!;
      await client.wait(1_000);
      await given(client, id);
      await client.seek(id);
    },
    expected: { nap: { count: [1, 1], outcomes: ends.length > 0 ? ends : [SLEPT] } },
    ...(ends.length > 0 && { endedSleepMs: NAP_MS }),
    at: CHANGES,
  },
]);
