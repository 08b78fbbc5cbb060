/** The places of a pool, and the order in which invocations wait for them. */
import { describe, expect, test } from "vitest";
import { freePlace, givenBack, moveWithin, placeBeyond } from "../../../shared/core/limits/places.ts";
import { PRIORITY_STEP_MS, turnOrder } from "../../../shared/core/limits/turn.ts";

const taken = (...places: readonly number[]) => new Map(places.map((place) => [place, `holder of ${place}`]));

describe("a free place", () => {
  test("is one of the free ones, chosen by the share", () => {
    expect([0, 0.4, 0.9].map((share) => freePlace(taken(1), 4, share))).toEqual([0, 2, 3]);
  });

  test("is none if all are taken, or if more are taken than there are", () => {
    expect(freePlace(taken(0, 1), 2, 0)).toBeUndefined();
    expect(freePlace(taken(0, 5), 2, 0)).toBeUndefined();
  });

  test("for one that runs in any case is beyond the limit and the taken ones", () => {
    expect([placeBeyond(taken(0), 2), placeBeyond(taken(0, 5), 2)]).toEqual([2, 6]);
  });
});

test("a holder beyond the limit moves to a free place within it", () => {
  expect(moveWithin(taken(0, 5), 2)).toEqual({ from: 5, to: 1, holder: "holder of 5" });
  expect([moveWithin(taken(0, 1, 5), 2), moveWithin(taken(1), 2), moveWithin(taken(3), Infinity)]).toEqual([
    undefined,
    undefined,
    undefined,
  ]);
});

describe("a place that is given back", () => {
  test("goes to the next that waits", () => {
    expect(givenBack(taken(0, 1), 2, 1, true)).toEqual({ kind: "pass-on" });
    expect(givenBack(taken(0, 1), 2, 1, false)).toEqual({ kind: "free" });
  });

  test("goes first to a holder beyond the limit", () => {
    expect(givenBack(taken(0, 1, 7), 2, 1, true)).toEqual({ kind: "move", from: 7, holder: "holder of 7" });
  });

  test("goes to none if it is itself beyond the limit", () => {
    expect(givenBack(taken(0, 1, 7), 2, 7, true)).toEqual({ kind: "free" });
  });
});

describe("the order of turns", () => {
  test("is by age, and by priority before age", () => {
    expect(turnOrder(1_000)).toBeLessThan(turnOrder(1_001));
    expect(turnOrder(2_000, 9)).toBeLessThan(turnOrder(1_000, 5));
  });

  test("lets none starve: nine steps of age are worth more than nine of priority", () => {
    const nowMs = 100 * PRIORITY_STEP_MS;
    expect(turnOrder(nowMs, 0)).toBeLessThan(turnOrder(nowMs + 9 * PRIORITY_STEP_MS + 1, 9));
  });
});
