/** Prints what failed in one suite, a line for the test and one for the reason: `failures.mjs <reports folder>`. */
import { readFileSync, readdirSync } from "node:fs";
import { join, relative } from "node:path";

const [folder] = process.argv.slice(2);

/** The first line says what was wrong; the rest stands in the suite's own output. Colours mean nothing in a summary. */
function reasonOf(messages) {
  // oxlint-disable-next-line no-control-regex
  const text = messages.join("\n").replaceAll(/\u001b\[[0-9;]*m/g, "");
  return text.split("\n", 1)[0].slice(0, 300);
}

function failuresOf(file) {
  const name = relative(process.cwd(), file.name);
  const tests = file.assertionResults.filter(({ status }) => status === "failed");
  if (tests.length === 0) return [[name, reasonOf([file.message ?? ""])]];
  return tests.map(({ fullName, failureMessages }) => [`${name}: ${fullName}`, reasonOf(failureMessages)]);
}

for (const name of readdirSync(folder).filter((file) => file.endsWith(".json"))) {
  const report = JSON.parse(readFileSync(join(folder, name), "utf8"));
  for (const file of report.testResults.filter(({ status }) => status === "failed")) {
    for (const [test, reason] of failuresOf(file)) console.log(`FAILED ${test}\n       ${reason}`);
  }
}
