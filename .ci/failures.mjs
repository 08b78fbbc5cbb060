/**
 * Prints the failures of one suite, each with a line for the test and the reason below it: `failures.mjs <reports folder>
 * <log>`. If the reports contain no failure, because the suite was cut short, it prints the end of the log.
 */
import { readFileSync, readdirSync } from "node:fs";
import { basename, join, relative } from "node:path";

const [folder, log] = process.argv.slice(2);
const LAST_LINES = 15;

const REASON_LINES = 12;

/** The message, which may have several lines, without the stack; the suite's own output contains the rest. */
function reasonOf(messages) {
  const lines = plain(messages.join("\n")).split("\n");
  const stack = lines.findIndex((line) => line.startsWith("    at "));
  return lines
    .slice(0, stack === -1 ? 1 : Math.min(stack, REASON_LINES))
    .map((line) => line.slice(0, 300))
    .join("\n       ");
}

function failuresOf(file) {
  const name = relative(process.cwd(), file.name);
  const tests = file.assertionResults.filter(({ status }) => status === "failed");
  if (tests.length === 0) return [[name, reasonOf([file.message ?? ""])]];
  return tests.map(({ fullName, failureMessages }) => [`${name}: ${fullName}`, reasonOf(failureMessages)]);
}

/** Removes the escape sequences of colours. */
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
