/** `slowest.mjs <reports folder>` prints the ten slowest tests of all suites, each with its seconds, file and title. */
import { readFileSync, readdirSync } from "node:fs";
import { join, relative } from "node:path";

const COUNT = 10;
const [folder] = process.argv.slice(2);

function testsOf(report) {
  return report.testResults.flatMap((file) =>
    file.assertionResults.map(({ duration, fullName }) => ({
      seconds: (duration ?? 0) / 1000,
      title: `${relative(process.cwd(), file.name)}: ${fullName}`,
    })),
  );
}

/** A suite that was killed may have left half of a report. */
function readTests(path) {
  try {
    return testsOf(JSON.parse(readFileSync(path, "utf8")));
  } catch {
    return [];
  }
}

const paths = readdirSync(folder, { recursive: true }).filter((name) => name.endsWith(".json"));
const tests = paths.flatMap((name) => readTests(join(folder, name)));
const slowest = tests.toSorted((one, other) => other.seconds - one.seconds).slice(0, COUNT);
console.log(["the slowest tests:", ...slowest.map(lineOf)].join("\n"));

function lineOf({ seconds, title }) {
  return `${seconds.toFixed(1).padStart(7)} s  ${title.replaceAll(/\s+/g, " ")}`;
}
