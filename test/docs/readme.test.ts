/** The figures of the README's first screen are those of the pages that tests check. */
import { expect, test } from "vitest";
import { textOf } from "./page-text.ts";

const README = textOf("README.md").replaceAll(/\s+/g, " ");
const COSTS = textOf("docs/costs.md");

/** @returns the dollars for a million calls of the shape, in a busy system and in a quiet one: the last two columns of its row */
function dollarsOfAMillion(shape: string): string {
  const row = COSTS.split("\n").find((line) => line.startsWith(`| ${shape} |`)) ?? "";
  const [quiet, busy] = [...row.matchAll(/\*\*([0-9.]+)\*\*/g)].map(([, dollars]) => dollars);
  if (quiet === undefined || busy === undefined) throw new Error(`docs/costs.md has no figures of "${shape}"`);
  return `${busy} to ${quiet} dollars`;
}

test("the prices are those of docs/costs.md", () => {
  expect(README).toContain(`a million calls ${dollarsOfAMillion("call without steps")}`);
  expect(README).toContain(`with five steps each ${dollarsOfAMillion("call with 5 runs")}`);
  const idle = /\| \*\*in all\*\* \| \*\*([0-9.]+)\*\* \|/.exec(COSTS)?.[1];
  expect(README).toContain(`A month without a request ${idle} dollars`);
});

test("the price of large payloads is that of docs/costs.md", () => {
  const large = /\| call with 100 KB of noise in and out \|.*?\*\*([0-9.]+)\*\*/.exec(COSTS)![1]!;
  expect(README).toContain(`${large} dollars a million at 100 KB`);
});

test("the first screen shows what is run: code, start, kill and a picture, before any other heading", () => {
  const screen = textOf("README.md").split("\n## ")[0]!;
  const places = ["```ts\n", "npm ci && npm start", "kill -9", "docs/ui-invocation.png"].map((part) =>
    screen.indexOf(part),
  );
  expect(places).not.toContain(-1);
  expect(places).toEqual(places.toSorted((one, other) => one - other));
  expect(screen.split("\n").length).toBeLessThan(60);
});

test("the exchanges of fifty steps are those of docs/performance.md", () => {
  const lines = textOf("docs/performance.md").split("\n");
  const shapes = lines.find((line) => line.startsWith("|  | plain call |"))!.split("|");
  const exchanges = lines.find((line) => line.startsWith("| exchanges |"))!.split("|");
  const fifty = exchanges[shapes.indexOf(" 50 runs ")]!.trim();
  expect(README).toContain(`50 steps take ${fifty} exchange`);
});

test("the largest message is that of docs/operating/aws.md", () => {
  const size = /\| message of a deployment over HTTPS \| (\d+ MiB)/.exec(textOf("docs/operating/aws.md"))?.[1];
  expect(README).toContain(`A message of a deployment has at most ${size}`);
});

test("the version is that of the package", () => {
  const { config } = JSON.parse(textOf("package.json")) as { readonly config: { readonly version: string } };
  expect(README).toContain(`Version ${config.version.split(".").slice(0, 2).join(".")}: a minor version may change`);
});
