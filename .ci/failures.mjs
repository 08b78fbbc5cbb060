/**
 * Prints what failed in one suite, a line for the test and one for the reason: `failures.mjs <reports folder> <log>`.
 * Where no test says so, as in a suite that was cut short, the end of its log has to do.
 */
import { readFileSync, readdirSync } from "node:fs";
import { basename, join, relative } from "node:path";

const [folder, log] = process.argv.slice(2);
const LAST_LINES = 15;

/** The first line says what was wrong; the rest stands in the suite's own output. */
function reasonOf(messages) {
  const text = plain(messages.join("\n"));
  return text.split("\n", 1)[0].slice(0, 300);
}

function failuresOf(file) {
  const name = relative(process.cwd(), file.name);
  const tests = file.assertionResults.filter(({ status }) => status === "failed");
  if (tests.length === 0) return [[name, reasonOf([file.message ?? ""])]];
  return tests.map(({ fullName, failureMessages }) => [`${name}: ${fullName}`, reasonOf(failureMessages)]);
}

/** Colours mean nothing in a summary. */
function plain(text) {
  // oxlint-disable-next-line no-control-regex
  return text.replaceAll(/\u001b\[[0-9;]*m/g, "");
}

let told = 0;
for (const name of readdirSync(folder).filter((file) => file.endsWith(".json"))) {
  const report = JSON.parse(readFileSync(join(folder, name), "utf8"));
  for (const file of report.testResults.filter(({ status }) => status === "failed")) {
    for (const [test, reason] of failuresOf(file)) console.log(`FAILED ${test}\n       ${reason}`);
    told++;
  }
}
if (told === 0) {
  const lines = plain(readFileSync(log, "utf8")).split("\n").filter(Boolean).slice(-LAST_LINES);
  console.log([`FAILED ${basename(folder)}, which names no test; the end of its log:`, ...lines].join("\n       "));
}
