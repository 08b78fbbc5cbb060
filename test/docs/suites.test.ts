/**
 * Tests that CONTRIBUTING.md lists the suites of the gate, that the gate ends before it is killed, that npm commands on pages exist, and
 * that the tests which synthesise the stack are those of the project `infra`.
 */
import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";

/** A server kills the gate after this time, whatever it does. */
const KILLED_AFTER_MIN = 90;

const read = (path: string): string => readFileSync(new URL(`../../${path}`, import.meta.url), "utf8");

test("CONTRIBUTING.md lists every suite of the gate in order, with its guard in minutes, and no other suite", () => {
  const run = [...read(".ci/run").matchAll(/^suite (\S+) +(\d+) "(.+)"$/gm)].map(([, name, minutes, command]) => {
    const isReadmes = command!.includes("readme-command.mjs");
    return [name, isReadmes ? "npm ci && npm test" : command, minutes];
  });
  const told = [...read("CONTRIBUTING.md").matchAll(/^\| ([\w-]+) \| `(.+?)` \| .+ \| (\d+) min \|$/gm)];
  expect(run.length).toBeGreaterThan(5);
  expect(told.map(([, ...cells]) => cells)).toEqual(run);
});

test("the gate ends its suites in time to name the failures, and no suite has more time than the gate", () => {
  const [, gate] = /^readonly END_S=\$\(\((\d+) \* 60\)\)$/m.exec(read(".ci/run"))!;
  const minutes = [...read(".ci/run").matchAll(/^suite \S+ +(\d+) /gm)].map(([, guard]) => Number(guard));
  expect(Number(gate)).toBeLessThanOrEqual(KILLED_AFTER_MIN - 5);
  expect(minutes.filter((guard) => guard > Number(gate))).toEqual([]);
});

test("every npm command on the pages is a script", () => {
  const { scripts } = JSON.parse(read("package.json")) as { readonly scripts: Readonly<Record<string, string>> };
  const told = [
    "CONTRIBUTING.md",
    "README.md",
    "docs/operating/aws.md",
    "docs/operating/incidents.md",
    "docs/operating/evidence.md",
    "docs/costs.md",
    "localstack/README.md",
  ].flatMap((file) => [...read(file).matchAll(/npm run (?:-\S+ )*([\w:-]+)/g)].map(([, name]) => name!));
  expect(told.length).toBeGreaterThan(10);
  expect(told.filter((name) => !(name in scripts))).toEqual([]);
});

test("a test of a page that synthesises the stack runs with `npm run test:infra`, so that `npm test` stays quick", () => {
  const [, names = ""] = /^const INFRA = .+"test\/docs\/\{([\w,-]+)\}\.test\.ts"\];$/m.exec(read("vitest.config.ts"))!;
  const synthesise = readdirSync(new URL(".", import.meta.url))
    .filter((name) => name.endsWith(".test.ts"))
    .filter((name) => /from "(?:\.\.\/infra\/|aws-cdk-lib)/.test(read(`test/docs/${name}`)));
  expect(synthesise.toSorted()).toEqual(names.split(",").map((name) => `${name}.test.ts`));
});
