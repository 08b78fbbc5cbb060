/** One test for each planted mistake of a file: the mistake still changes something, and the suite catches it. */
import { expect, test } from "vitest";
import { itemsOfTurn } from "../rotation.ts";
import { actsSoFar } from "./acts.ts";
import { MISTAKES, PARTS } from "./catalogue.mjs";

/**
 * In the gate, each commit plants the mistakes of one part of the catalogue (`turn.ts`).
 * @param path `import.meta.filename` of the file of tests
 * @param rows each with the name of the mistake in the catalogue
 * @param isCaught fails if the suite does not catch the mistake
 */
export function plantedTests<Row extends { readonly what: string }>(
  path: string,
  rows: readonly Row[],
  isCaught: (row: Row) => Promise<void>,
): void {
  const isOwn = ({ file }: { readonly file: string }) => path.endsWith(file);
  const ofTurn = itemsOfTurn(MISTAKES, PARTS, process.env["PLANTED_TURN"] ?? "all").filter(isOwn);
  test("the catalogue names the mistakes of this file, and no others", () => {
    const named = MISTAKES.filter(isOwn).map(({ what }) => what);
    expect(rows.map(({ what }) => what).toSorted()).toEqual(named.toSorted());
  });
  for (const row of rows.filter(({ what }) => ofTurn.some((one) => one.what === what)))
    test(`caught: ${row.what}`, async () => {
      const before = actsSoFar();
      const failures: unknown[] = [];
      await isCaught(row).catch((error: unknown) => failures.push(error));
      // A mistake that no longer applies is not caught either, and this is the reason.
      expect(actsSoFar() - before, "how often the mistake has changed something").toBeGreaterThan(0);
      if (failures.length > 0) throw failures[0];
    });
}
