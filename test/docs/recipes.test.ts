/** Each place of each recipe exists, by its path and by its name, and each example is a commit. */
import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { ROOT } from "../architecture/source-tree.ts";
import { codeWords, isDefined, isFile, namedOn, textOf } from "./page-text.ts";

const page = textOf("docs/recipes.md");
const recipes = page.split(/^## /m).slice(1);

/** The recipes that the page must have; it may have more. */
const SUBJECTS = [
  "A protocol command",
  "A route of the admin API",
  "A filter of the list",
  "An SQL column",
  "A setting",
  "A limit",
  "A metric",
  "A page of the web UI",
  "An error code",
];

const git = (...words: readonly string[]): string =>
  execFileSync("git", words, { cwd: ROOT, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }).trim();

/** A shallow clone and an unpacked archive have no commits to compare with. */
const hasHistory = (): boolean =>
  existsSync(join(ROOT, ".git")) && git("rev-parse", "--is-shallow-repository") === "false";

/** The paths in code style; `<name>` in a path stands for what the reader chooses, so only the folder before it is there. */
const pathsOf = (text: string): readonly string[] =>
  codeWords(text)
    .filter(
      (word) =>
        /^(?:shared|functions|ui|infra|test|docs|examples|localstack)\/[\w./<>-]+$/.test(word) || word === "infra",
    )
    .map((word) => word.replace(/<.*/, ""));

test("every subject has a recipe", () => {
  expect(recipes.map((recipe) => recipe.split("\n")[0])).toEqual(expect.arrayContaining(SUBJECTS));
});

test("every place of a recipe exists", () => {
  const paths = recipes.flatMap(pathsOf);
  expect(paths.length).toBeGreaterThan(70);
  expect(paths.filter((path) => !isFile(path))).toEqual([]);
});

test("every name of a recipe is defined in the file behind it", () => {
  const named = namedOn(page);
  expect(named.length).toBeGreaterThan(30);
  expect(named.filter(({ name, path }) => !isFile(path) || !isDefined(textOf(path), name))).toEqual([]);
});

test("every recipe ends with a commit as its example, under its subject", () => {
  const examples = recipes.map((recipe) => /^Example: `([0-9a-f]{8})` (.+)$/m.exec(recipe)?.slice(1) ?? [recipe]);
  expect(examples.filter(({ length }) => length !== 2)).toEqual([]);
  if (!hasHistory()) return;
  const subjects = examples.map(([hash]) => git("log", "-1", "--format=%s", hash!));
  expect(examples.map(([, subject]) => subject)).toEqual(subjects);
});
