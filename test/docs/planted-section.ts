/** The table of docs/reliability.md that counts the planted mistakes by suite and by what they break. */
import { MISTAKES, SUITES } from "../planted/catalogue.mjs";

export function plantedSection(): string {
  const rows = Object.keys(SUITES).map((suite) => {
    const own = MISTAKES.filter((one) => one.suite === suite);
    return `| \`${suite}\` | ${own.length} | ${rulesOf(own.map(({ breaks }) => breaks))} |`;
  });
  return [
    `The catalogue (\`test/planted/catalogue.mjs\`) has ${MISTAKES.length} planted mistakes:`,
    "",
    "| suite | planted | what they break |",
    "|---|---|---|",
    ...rows,
  ].join("\n");
}

/** @returns the invariants, and the number of rules that are not among them */
function rulesOf(broken: readonly string[]): string {
  const invariants = [...new Set(broken.filter((rule) => /^I\d+$/.test(rule)))];
  const inOrder = invariants.toSorted((one, other) => Number(one.slice(1)) - Number(other.slice(1)));
  const others = broken.length - broken.filter((rule) => invariants.includes(rule)).length;
  const texts = inOrder.length > 0 ? [inOrder.join(", ")] : [];
  return [...texts, ...(others > 0 ? [`${others} other rules`] : [])]
    .join(", and ")
    .replace(/\b1 other rules/, "1 other rule");
}
