/**
 * Searches the orders in which the calls of several workers take effect, while workers die, leases run out, invocations are killed and the
 * rule changes, in processes that share a table and in one that owns it (I13): an attempt counts only while a place names its invocation, none begins while as many as the limit have places, all
 * end, and at the end no place is taken and no turn is left.
 */
import { expect, test } from "vitest";
import { type Bounds, explored } from "./explore.ts";
import type { Plan } from "./world.ts";

interface Searched extends Plan, Partial<Bounds> {
  readonly what: string;
}

/** A search that is not whole takes states of all depths. */
const STATES_MAX = 3_000;
const LOOKS_MAX = 2;

const SEARCHED: readonly Searched[] = [
  { what: "two want one place", lives: ["ends", "ends"], places: 1, looksMax: 0 },
  { what: "three want two places", lives: ["ends", "ends", "ends"], places: 2, switches: 1, looksMax: 0 },
  { what: "one of two sleeps", lives: ["sleeps", "ends"], places: 1, ticks: 1, looksMax: 0 },
  { what: "one of two workers dies", lives: ["ends", "ends"], places: 1, deaths: 1 },
  { what: "a worker dies that has slept", lives: ["sleeps", "ends"], places: 1, ticks: 1, deaths: 1, switches: 1 },
  { what: "one of three workers dies", lives: ["ends", "ends", "ends"], places: 2, deaths: 1, switches: 1 },
  { what: "a lease runs out while its worker fails", lives: ["fails", "ends"], places: 1, leases: 1 },
  { what: "a lease runs out while its worker sleeps", lives: ["sleeps", "ends"], places: 1, ticks: 1, leases: 1 },
  {
    what: "a worker dies and another stands still",
    lives: ["ends", "ends"],
    places: 1,
    deaths: 1,
    leases: 1,
    switches: 1,
  },
  { what: "one is killed", lives: ["sleeps", "ends"], places: 1, ticks: 1, kills: 1 },
  { what: "one is killed and a worker dies", lives: ["ends", "ends"], places: 1, kills: 1, deaths: 1, switches: 1 },
  { what: "a limit is raised", lives: ["ends", "ends", "ends"], places: 1, changes: [2], looksMax: 0 },
  {
    what: "a limit is raised while one sleeps",
    lives: ["sleeps", "ends"],
    places: 1,
    changes: [2],
    ticks: 1,
    looksMax: 0,
  },
  { what: "a limit is lowered", lives: ["ends", "ends", "ends"], places: 2, changes: [1], looksMax: 0 },
  {
    what: "a limit is lowered while one sleeps",
    lives: ["sleeps", "ends", "ends"],
    places: 2,
    changes: [1],
    ticks: 1,
    looksMax: 0,
  },
  { what: "a limit is lowered and a worker dies", lives: ["ends", "ends", "ends"], places: 2, changes: [1], deaths: 1 },
  { what: "a rule is deleted", lives: ["ends", "ends"], places: 1, changes: ["none"], looksMax: 0 },
  {
    what: "a rule is deleted while one sleeps",
    lives: ["sleeps", "ends"],
    places: 1,
    changes: ["none"],
    ticks: 1,
    looksMax: 0,
  },
  { what: "a rule is deleted and made anew", lives: ["ends", "ends"], places: 1, changes: ["none", 1], looksMax: 0 },
  {
    what: "a rule is deleted and made anew, and a worker dies",
    lives: ["ends", "ends"],
    places: 1,
    changes: ["none", 1],
    deaths: 1,
  },
  { what: "a rule is made", lives: ["ends", "ends"], places: "none", changes: [1], looksMax: 0 },
  {
    what: "a rule is made while one runs",
    lives: ["sleeps", "ends"],
    places: "none",
    changes: [1],
    ticks: 1,
    renewals: 1,
    looksMax: 0,
  },
  {
    what: "a rule is made and a lease runs out",
    lives: ["fails", "ends"],
    places: "none",
    changes: [1],
    leases: 1,
    renewals: 1,
  },
  { what: "a limit is lowered and raised", lives: ["ends", "ends", "ends"], places: 2, changes: [1, 2], looksMax: 0 },
  { what: "two want one start", lives: ["ends", "ends"], places: 0, isRate: true, looksMax: 0 },
];

/** A death is one of the whole process, whose successor finds the places. */
const SOLE: readonly Searched[] = [
  { what: "two want one place", lives: ["ends", "ends"], places: 1, looksMax: 0 },
  { what: "three want two places", lives: ["ends", "ends", "ends"], places: 2, switches: 1, looksMax: 0 },
  { what: "one of two sleeps", lives: ["sleeps", "ends"], places: 1, ticks: 1, looksMax: 0 },
  { what: "it dies", lives: ["ends", "ends"], places: 1, deaths: 1 },
  { what: "it dies after one has slept", lives: ["sleeps", "ends"], places: 1, ticks: 1, deaths: 1 },
  { what: "it dies twice", lives: ["ends", "ends"], places: 1, deaths: 2, switches: 1 },
  { what: "it dies while three want two places", lives: ["ends", "ends", "ends"], places: 2, deaths: 1, switches: 1 },
  { what: "one is killed", lives: ["sleeps", "ends"], places: 1, ticks: 1, kills: 1 },
  { what: "one is killed, and it dies", lives: ["ends", "ends"], places: 1, kills: 1, deaths: 1, switches: 1 },
  { what: "a limit is raised, and it dies", lives: ["ends", "ends", "ends"], places: 1, changes: [2], deaths: 1 },
  { what: "a limit is lowered", lives: ["ends", "ends", "ends"], places: 2, changes: [1], looksMax: 0 },
  { what: "a limit is lowered, and it dies", lives: ["ends", "ends", "ends"], places: 2, changes: [1], deaths: 1 },
  { what: "a rule is made", lives: ["ends", "ends"], places: "none", changes: [1], looksMax: 0 },
  { what: "a rule is made, and it dies", lives: ["sleeps", "ends"], places: "none", changes: [1], ticks: 1, deaths: 1 },
  { what: "a rule is deleted and made anew", lives: ["ends", "ends"], places: 1, changes: ["none", 1], looksMax: 0 },
  {
    what: "a rule is deleted and made anew, and it dies",
    lives: ["ends", "ends"],
    places: 1,
    changes: ["none", 1],
    deaths: 1,
  },
].map((plan): Searched => ({ ...(plan as Searched), what: `in a sole owner: ${plan.what}`, isSole: true }));

test.each([...SEARCHED, ...SOLE])("$what", async ({ switches = 2, looksMax = LOOKS_MAX, ...plan }) => {
  const { states, wrong } = await explored(plan, { switches, looksMax, statesMax: STATES_MAX });
  expect(wrong).toBeUndefined();
  expect(states).toBeGreaterThan(200);
});
