/** What every suite with drawn runs shares: which seeds it plays, and where it leaves its figures. */
import { existsSync, mkdirSync, writeFileSync } from "node:fs";

/** `SEED=17` plays seed 17 alone, and the suite prints its trace. */
export const ONLY_SEED = numberOf("SEED");

/** Commits whose hashes have the same remainder play the same seeds. */
const TURNS = 1_000;

/**
 * `SEEDS` and `SEED_FROM` choose another range, so that a long run can go on where it stopped. In the gate, the range follows from
 * the commit: the configuration of the suite hands ROTATION on (`rotation.ts`).
 * @param usual how many seeds the suite plays if the environment does not say
 */
export function seedsToPlay(usual: number): readonly number[] {
  if (ONLY_SEED !== undefined) return [ONLY_SEED];
  const rotation = Number(process.env["CI"] === undefined ? NaN : process.env["ROTATION"]);
  const turn = Number.isInteger(rotation) ? rotation % TURNS : 0;
  const from = numberOf("SEED_FROM") ?? 1 + turn * usual;
  return Array.from({ length: numberOf("SEEDS") ?? usual }, (_, at) => from + at);
}

/**
 * Writes the figures of a suite into the folder `STEPWELL_FIGURES`, if there is one. A reader adds up equal names of several files,
 * and takes the largest of those that end in `Max`.
 * @param suite letters, digits and hyphens
 */
export function leaveFigures(suite: string, figures: Readonly<Record<string, number>>): void {
  const folder = process.env["STEPWELL_FIGURES"];
  if (folder === undefined) return;
  mkdirSync(folder, { recursive: true });
  let run = 1;
  while (existsSync(`${folder}/${suite}-${process.pid}-${run}.json`)) run++;
  writeFileSync(`${folder}/${suite}-${process.pid}-${run}.json`, `${JSON.stringify(figures)}\n`, { flag: "wx" });
}

function numberOf(name: string): number | undefined {
  const text = process.env[name];
  if (text === undefined) return undefined;
  if (!/^\d{1,9}$/.test(text)) throw new Error(`${name} is ${JSON.stringify(text)}; it must be a whole number`);
  return Number(text);
}
