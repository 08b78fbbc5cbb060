/** The reporters of every vitest suite: one for the reader and, where TEST_REPORTS names a folder, a JSON file for programs. */

type Reporters = ("default" | ["json", { outputFile: string }])[];

/** @param suite names the file: `<TEST_REPORTS>/<suite>.json` */
export function reportersOf(suite: string): Reporters {
  const folder = process.env["TEST_REPORTS"];
  return folder === undefined ? ["default"] : ["default", ["json", { outputFile: `${folder}/${suite}.json` }]];
}
