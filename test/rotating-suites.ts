/** The suites that rotate by file: each commit runs the files of one part. */
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { itemsOfTurn, tellRotation } from "./rotation.ts";

export interface RotatingSuite {
  /** The folder of the suite below `test`. */
  readonly folder: string;
  readonly parts: number;
  /**
   * The names of files that take long, in an order that gives each part about the same work; the other files follow by name. A part
   * has each `parts`-th file.
   */
  readonly first?: readonly string[];
  /** The files that each part has, because they rotate by themselves: those with planted mistakes (`planted/turn.ts`). */
  readonly inEachPart?: RegExp;
}

export const ROTATING_SUITES = {
  "crash-points": {
    folder: "simulation/crash-points",
    parts: 4,
    inEachPart: /planted/,
    first: [
      "sole-owner",
      "keyed-shared-table",
      "keyed-sole-owner",
      "shared-table",
      "days/days-sole-owner",
      "operations/operations-sole-owner",
      "operations/operations-shared-table",
      "operations/unstarted",
      "sweeper/functions",
    ],
  },
  browser: { folder: "browser", parts: 2, first: ["screens", "call"] },
  "e2e-aws": { folder: "e2e-aws", parts: 3, first: ["try", "restored", "losses", "attacks", "slow-lane"] },
  topics: { folder: "topics", parts: 2 },
} satisfies Readonly<Record<string, RotatingSuite>>;

/** @returns the test files of the suite that are divided, from the root of the repository, in the order in which they are divided */
export function filesOf({ folder, first = [], inEachPart }: RotatingSuite): readonly string[] {
  const names = namesIn(folder).filter((name) => inEachPart?.test(name) !== true);
  const leading = first.map((name) => `${name}.test.ts`);
  const absent = leading.filter((name) => !names.includes(name));
  if (absent.length > 0) throw new Error(`test/${folder} has no ${absent.join(" and no ")}`);
  return [...leading, ...names.filter((name) => !leading.includes(name))].map((name) => `test/${folder}/${name}`);
}

/** @returns the test files of the suite that each part has, from the root of the repository */
export function filesInEachPart({ folder, inEachPart }: RotatingSuite): readonly string[] {
  return namesIn(folder)
    .filter((name) => inEachPart?.test(name) === true)
    .map((name) => `test/${folder}/${name}`);
}

function namesIn(folder: string): readonly string[] {
  return readdirSync(join(import.meta.dirname, folder), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".test.ts") && !name.includes("node_modules"))
    .toSorted();
}

/** @returns the ends of the paths of the files that take longest, for `longestFirst` */
export function longestOf(suite: keyof typeof ROTATING_SUITES): string[] {
  const { first = [] }: RotatingSuite = ROTATING_SUITES[suite];
  return first.map((name) => `/${name}.test.ts`);
}

/** Prints the choice. @returns the files of the commit's part, for the `include` of the suite's configuration */
export function filesOfTurn(suite: keyof typeof ROTATING_SUITES): string[] {
  const files = filesOf(ROTATING_SUITES[suite]);
  const chosen = itemsOfTurn(files, ROTATING_SUITES[suite].parts);
  tellRotation(suite, "files", chosen.length, files.length);
  return [...chosen, ...filesInEachPart(ROTATING_SUITES[suite])];
}
