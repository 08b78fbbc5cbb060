/** Searches the model of the lock of a key for states that break a rule (I6). */
import { expect, test } from "vitest";
import { explored } from "./explore.ts";
import type { Limits, Mistake } from "./model.ts";

const PEACE: Limits = { crashes: 0, kills: 0, zombies: 0, voids: 0 };

const PLAYED: readonly {
  readonly what: string;
  readonly claimants: number;
  readonly limits: Limits;
  statesMax?: number;
}[] = [
  { what: "two claimants, one of which may die", claimants: 2, limits: { ...PEACE, crashes: 1 } },
  { what: "two claimants, one of which is killed", claimants: 2, limits: { ...PEACE, kills: 1 } },
  {
    what: "two claimants, slow enough for a void ticket and an expired lease",
    claimants: 2,
    limits: { ...PEACE, zombies: 1, voids: 1 },
  },
  {
    what: "three claimants, one of which may die and one of which is slow",
    claimants: 3,
    limits: { ...PEACE, crashes: 1, voids: 1 },
    statesMax: 40_000,
  },
];

test.each(PLAYED)(
  "$what: one claimant at a time holds the key, in order, the state never goes back, and no claimant is left waiting",
  ({ claimants, limits, statesMax }) => {
    const { states, wrong } = explored(claimants, limits, statesMax === undefined ? {} : { statesMax });
    expect(states).toBeGreaterThan(1_000);
    expect(wrong).toBeUndefined();
  },
);

const PLANTED: readonly { readonly mistake: Mistake; readonly complaint: RegExp }[] = [
  { mistake: "blind hand-over", complaint: /the state goes back|the key is taken|holds the key/ },
  { mistake: "free without tail", complaint: /is left|a ticket is not served/ },
  { mistake: "no re-draw", complaint: /is left|a ticket is not served/ },
];

test.each(PLANTED)("the search finds the planted mistake: $mistake", ({ mistake, complaint }) => {
  const { wrong } = explored(2, { ...PEACE, zombies: 1, voids: 1 }, { mistake });
  expect(wrong).toMatch(complaint);
});
