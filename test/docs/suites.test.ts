/** Tests that CONTRIBUTING.md lists the suites of the gate, that they fit into an hour, and that npm commands on pages exist. */
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";

const read = (path: string): string => readFileSync(new URL(`../../${path}`, import.meta.url), "utf8");

test("CONTRIBUTING.md lists every suite of the gate in order, with its share of the hour in minutes, and no other suite", () => {
  const run = [...read(".ci/run").matchAll(/^suite (\S+) +(\d+) "(.+)"$/gm)].map(([, name, minutes, command]) => {
    const isReadmes = command!.includes("readme-command.mjs");
    return [name, isReadmes ? "npm ci && npm test" : command, minutes];
  });
  const told = [...read("CONTRIBUTING.md").matchAll(/^\| ([\w-]+) \| `(.+?)` \| .+ \| (\d+) min \|$/gm)];
  expect(run.length).toBeGreaterThan(5);
  expect(told.map(([, ...cells]) => cells)).toEqual(run);
});

test("the shares of all suites add up to an hour at most", () => {
  const minutes = [...read(".ci/run").matchAll(/^suite \S+ +(\d+) /gm)].map(([, share]) => Number(share));
  expect(minutes.reduce((sum, share) => sum + share, 0)).toBeLessThanOrEqual(60);
});

test("every npm command on the pages is a script", () => {
  const { scripts } = JSON.parse(read("package.json")) as { readonly scripts: Readonly<Record<string, string>> };
  const told = ["CONTRIBUTING.md", "README.md", "docs/operating.md", "docs/costs.md", "localstack/README.md"].flatMap(
    (file) => [...read(file).matchAll(/npm run ([\w:-]+)/g)].map(([, name]) => name!),
  );
  expect(told.length).toBeGreaterThan(10);
  expect(told.filter((name) => !(name in scripts))).toEqual([]);
});
