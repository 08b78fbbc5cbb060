/**
 * Searches the orders in which the calls of several workers take effect, while workers die, leases run out and invocations are killed
 * (I13): an attempt counts only while a place names its invocation, all end, and at the end no place is taken and no turn is left.
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
  { what: "two want one start", lives: ["ends", "ends"], places: 0, isRate: true, looksMax: 0 },
];

test.each(SEARCHED)("$what", async ({ switches = 2, looksMax = LOOKS_MAX, ...plan }) => {
  const { states, wrong } = await explored(plan, { switches, looksMax, statesMax: STATES_MAX });
  expect(wrong).toBeUndefined();
  expect(states).toBeGreaterThan(200);
});
