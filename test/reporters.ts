/** The reporters of every vitest suite: one for the reader and, if TEST_REPORTS names a folder, a JSON file for programs. */

import { existsSync } from "node:fs";

type Reporters = ("default" | ["json", { outputFile: string }])[];

/** @param suite the name of the suite; the file is `<TEST_REPORTS>/<suite>.json`, or `<suite>-2.json` if that file exists */
export function reportersOf(suite: string): Reporters {
  const folder = process.env["TEST_REPORTS"];
  if (folder === undefined) return ["default"];
  let outputFile = `${folder}/${suite}.json`;
  for (let run = 2; existsSync(outputFile); run++) outputFile = `${folder}/${suite}-${run}.json`;
  return ["default", ["json", { outputFile }]];
}
