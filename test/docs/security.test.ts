/** The security pages name tests, settings, properties and policies that exist. */
import { expect, test } from "vitest";
import { SETTING_PATHS } from "../../shared/config/settings-table.ts";
import { TABLE_SHAPES } from "../../shared/core/query/table-shapes.ts";
import { brokenLinks, codeWords, isFile, linksOf, textOf } from "./page-text.ts";

const PAGES = ["SECURITY.md", "docs/security.md"] as const;
const page = textOf("docs/security.md");
const words = PAGES.flatMap((path) => codeWords(textOf(path)));

test("the package contains both pages", () => {
  const { files } = JSON.parse(textOf("package.json")) as { readonly files: readonly string[] };
  expect(files).toEqual(expect.arrayContaining([...PAGES]));
});

test("every test that a page names exists", () => {
  const files = words.filter((word) => /^test\/[\w./-]+\.test\.ts$/.test(word));
  expect(files.length).toBeGreaterThan(60);
  expect(files.filter((path) => !isFile(path))).toEqual([]);
});

test("every row with a limit names a test, or says that there is none", () => {
  const tables = page.split("\n\n").filter((block) => / held by \|\n/.test(block));
  expect(tables.length).toBeGreaterThan(6);
  const rows = tables.flatMap((table) => table.trim().split("\n").slice(2));
  expect(rows.length).toBeGreaterThan(40);
  expect(rows.filter((row) => !/(?:`test\/[\w./-]+\.test\.ts`|not tried|–) \|$/.test(row))).toEqual([]);
  const promises = rows.filter((row) => row.endsWith(" – |"));
  // A row with a dash is about a party with the power of an operator, or about data that remains after a purge and that no
  // test covers.
  expect(promises.length).toBeLessThanOrEqual(4);
});

test("every setting that a page names exists", () => {
  const named = words.filter(
    (word) => /^(?:[a-z]+(?:-[a-z]+)*\.)+[a-z-]+$/.test(word) && !/\.(?:md|json|ts|mjs)$/.test(word),
  );
  const plain = words.filter((word) => /^(?:default|max|request|data|memory|tracing)-[a-z-]+$/.test(word));
  expect([named.length > 8, plain.length > 5]).toEqual([true, true]);
  const known: readonly string[] = SETTING_PATHS;
  expect([...named, ...plain].filter((word) => !known.includes(word))).toEqual([]);
});

test("every property of the constructs that a page names exists", () => {
  const sources = ["infra/stepwell.ts", "infra/stepwell-deployment.ts", "infra/apis.ts"].map(textOf).join("\n");
  const named = words
    .filter((word) => /^[a-z]+(?:[A-Z][a-z0-9]+)+$/.test(word))
    .filter((word) => !["claimedCaller"].includes(word));
  expect(named.length).toBeGreaterThan(10);
  expect(named.filter((word) => !new RegExp(`readonly ${word}\\??:`).test(sources))).toEqual([]);
});

test("every table and every column in a statement exists", () => {
  const statements = [...page.matchAll(/"query": "(.+)"\}/g)].map(([, statement]) => statement!);
  expect(statements.length).toBeGreaterThan(5);
  for (const statement of statements) {
    const table = /FROM (\w+)/.exec(statement)![1]!;
    const shape = TABLE_SHAPES.find(({ name }) => name === table);
    const asked = [...statement.replaceAll(/'[^']*'/g, "").matchAll(/\b[a-z_]+\b/g)].map(([name]) => name);
    const known = [table, ...(shape?.columns ?? []).map(({ name }) => name)];
    expect([statement, asked.filter((name) => !known.includes(name))]).toEqual([statement, []]);
  }
});

test("every policy to paste is JSON whose statements allow or deny named actions", () => {
  const policies = [...page.matchAll(/^ *```json\n(.*?)^ *```$/gms)].map(([, text]) => JSON.parse(text!) as unknown);
  expect(policies.length).toBeGreaterThan(3);
  const statements = policies.flatMap((policy) =>
    Array.isArray(policy) ? [] : (policy as { readonly Statement: readonly Record<string, unknown>[] }).Statement,
  );
  for (const { Effect, Action, Resource } of statements) {
    expect(Effect).toMatch(/^(?:Allow|Deny)$/);
    for (const action of [Action].flat()) expect(action).toMatch(/^[a-z-]+:[A-Z][A-Za-z]+$/);
    expect(Resource).toBeDefined();
  }
});

test("every file and every heading that a page links to exists", () => {
  expect(PAGES.flatMap(linksOf).length).toBeGreaterThan(15);
  expect(PAGES.flatMap(brokenLinks)).toEqual([]);
});
