/** Mistakes that are planted in the limits: drawn rules and loads show each of them. */
import { afterAll, beforeAll, beforeEach, expect, vi } from "vitest";
import type * as Places from "../../../shared/core/limits/places.ts";
import type * as RuleBooks from "../../../shared/core/limits/rule-book.ts";
import { acting } from "../../planted/acts.ts";
import { plantedTests } from "../../planted/planted-tests.ts";
import { LimitsBeside } from "./limits-beside.ts";

const planted = vi.hoisted(() => ({ mistake: "" }));
const is = vi.hoisted(() => (mistake: string) => planted.mistake === mistake);

vi.mock("../../../shared/core/limits/places.ts", async (original) => {
  const right = await original<typeof Places>();
  const freePlace: typeof right.freePlace = (taken, places, share) =>
    right.freePlace(taken, is("a place more than the limit") ? acting(places + 1) : places, share);
  const moveWithin: typeof right.moveWithin = (taken, places) => {
    const move = right.moveWithin(taken, places);
    return move !== undefined && is("a holder beyond the limit stays there") ? acting(undefined) : move;
  };
  return { ...right, freePlace, moveWithin };
});
vi.mock("../../../shared/core/limits/rule-book.ts", async (original) => {
  const right = await original<typeof RuleBooks>();
  const namesIn = (pattern: string) => pattern.split("/").filter((name) => name !== "*").length;
  const ruleBook: typeof right.ruleBook = (rules) => {
    if (is("a disabled rule limits") && rules.some(({ disabled }) => disabled))
      return right.ruleBook(acting(rules.map((rule) => ({ ...rule, disabled: false }))));
    if (!is("the pattern with the fewest names counts")) return right.ruleBook(rules);
    const depthOf = (pattern: string) => pattern.split("/").length;
    const fewest = rules.filter(
      ({ pattern }) =>
        !rules.some(
          (other) =>
            !other.disabled && depthOf(other.pattern) === depthOf(pattern) && namesIn(other.pattern) < namesIn(pattern),
        ),
    );
    return right.ruleBook(fewest.length < rules.length ? acting(fewest) : fewest);
  };
  return { ...right, ruleBook };
});

const PLANTED = [
  { what: "a place more than the limit" },
  { what: "a holder beyond the limit stays there" },
  { what: "the pattern with the fewest names counts" },
  { what: "a disabled rule limits" },
];

/** Scenes are played until one shows the mistake. */
const SCENES_MAX = 40;
/** What stays wrong is wrong. */
const SETTLED_WITHIN_MS = 8_000;

let beside: LimitsBeside;
beforeAll(async () => {
  beside = await LimitsBeside.open();
});
beforeEach(() => {
  planted.mistake = "";
});
afterAll(() => beside?.stop());

plantedTests(import.meta.filename, PLANTED, async ({ what }) => {
  planted.mistake = what;
  for (let seed = 1; seed <= SCENES_MAX; seed++) {
    const { complaints } = await beside.play(seed, SETTLED_WITHIN_MS);
    if (complaints.length > 0) return;
  }
  expect.fail(`${SCENES_MAX} scenes show nothing`);
});
