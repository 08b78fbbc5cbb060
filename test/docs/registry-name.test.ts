/** No text may tell a user to fetch this package from a registry, because no registry has it. */
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

const ROOT = join(import.meta.dirname, "../..");
const PLACES = ["docs", "examples", "functions", "infra", "localstack", "shared"];
const PAGES = ["README.md", "CONTRIBUTING.md", "SECURITY.md", "Dockerfile", "package.json"];

/** `npx stepwell` outside of an installation asks the registry, as every form below does. */
const FROM_REGISTRY =
  /\bnpx (?:-(?!-package=)\S+ )*stepwell\b|\bnpm (?:i|install|add|exec|x|create|init) (?:-\S+ )*stepwell\b|npmjs\.(?:com|org)\S*stepwell/;

function textFiles(): readonly string[] {
  const inside = PLACES.flatMap((place) =>
    readdirSync(join(ROOT, place), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && /\.(?:md|ts|mjs|json|html|py|yaml)$/.test(entry.name))
      .map((entry) => join(entry.parentPath, entry.name)),
  );
  const own = inside.filter((path) => !/[/\\](?:node_modules|\.cache|\.stepwell)[/\\]/.test(path));
  return [...own, ...PAGES.map((page) => join(ROOT, page))];
}

test("no text that ships tells a user to fetch the package from a registry", () => {
  const files = textFiles();
  expect(files.length).toBeGreaterThan(300);
  expect(files.filter((path) => FROM_REGISTRY.test(readFileSync(path, "utf8")))).toEqual([]);
});

test.each([
  "npx stepwell dev",
  "npx --yes stepwell dev",
  "npm install stepwell",
  "npm i -g stepwell",
  "npm exec --no stepwell",
  "https://www.npmjs.com/package/stepwell",
])("the test would find `%s`", (text) => expect(FROM_REGISTRY.test(text)).toBe(true));

test.each(["npx cdk deploy", "npm install <tarball>", "npx --package=./stepwell-0.8.0.tgz stepwell dev"])(
  "the test accepts `%s`",
  (text) => expect(FROM_REGISTRY.test(text)).toBe(false),
);
