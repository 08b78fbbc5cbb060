/** The design page names files, functions, tests, keys and layers that exist, and every citation of the page has its section. */
import { expect, test } from "vitest";
import { ROOMS } from "../architecture/arrows.ts";
import { readSourceTree, ROOT } from "../architecture/source-tree.ts";
import { pathOfACall } from "./path-of-a-call.ts";
import { anchorsOf, brokenLinks, codeWords, isDefined, isFile, linksOf, namedOn, textOf } from "./page-text.ts";

const PAGE = "docs/design.md";
const page = textOf(PAGE);
const anchors = anchorsOf(page);
const INVARIANTS = 13;

/** Every file that may cite the page. Fixtures and lock files are data. */
const sources = [...readSourceTree(ROOT)].filter(
  ([path]) =>
    /^(?:shared|functions|infra|test|docs|localstack|examples)\/.+\.(?:ts|mjs|md)$/.test(path) && path !== PAGE,
);

const named = namedOn(page);

function sectionOf(heading: string): string {
  const at = page.search(new RegExp(`^##+ ${heading}$`, "m"));
  return page
    .slice(at)
    .replace(/^##.*\n/, "")
    .split(/^##/m)[0]!;
}

/** The sections of the invariants, in their order. */
const invariants = [...page.matchAll(/^### (I\d+)\. .+$/gm)].map(([heading, number]) => ({
  number: number!,
  section: sectionOf(heading.slice("### ".length)),
}));

const enforcedBy = (section: string): string => (section.split("**Enforced by:**")[1] ?? "").split("\n\n")[0]!;

/** Each line under "Caught by": a file of tests, and the titles of some of them. */
function caughtBy(section: string): readonly { readonly path: string; readonly titles: readonly string[] }[] {
  const lines = (section.split("**Caught by:**")[1] ?? "").matchAll(/^- `([^`]+)`: (.+)$/gm);
  return [...lines].map(([, path, titles]) => ({
    path: path!,
    titles: [...titles!.matchAll(/"([^"]+)"/g)].map(([, title]) => title!),
  }));
}

const hasTitle = (text: string, title: string): boolean =>
  ['"', "`"].some((quote) => text.includes(quote + title + quote));

test("the package contains the page, and README and CONTRIBUTING link to it", () => {
  const { files } = JSON.parse(textOf("package.json")) as { readonly files: readonly string[] };
  expect(files).toContain(PAGE);
  for (const path of ["README.md", "CONTRIBUTING.md"])
    expect(
      linksOf(path).map(({ target }) => target),
      path,
    ).toContain(PAGE);
});

test("every link of the page leads to a file and a heading", () => {
  expect(linksOf(PAGE).length).toBeGreaterThan(10);
  expect(brokenLinks(PAGE)).toEqual([]);
});

test("every invariant has a section with its reason, what enforces it and what catches its loss", () => {
  expect(invariants.map(({ number }) => number)).toEqual(Array.from({ length: INVARIANTS }, (_, at) => `I${at + 1}`));
  for (const { number, section } of invariants) {
    expect(section, number).toMatch(/^\*\*Why:\*\* .+/m);
    expect(enforcedBy(section), number).toMatch(/`\w+` \(`[\w./-]+`\)/);
    expect(caughtBy(section).length, number).toBeGreaterThan(1);
  }
});

test("every invariant that is cited has a section", () => {
  const cited = sources.flatMap(([path, text]) =>
    [...text.matchAll(/\bI\d+\b/g)].map(([number]) => `${number} ${path}`),
  );
  expect(cited.length).toBeGreaterThan(100);
  const known = new Set(invariants.map(({ number }) => number));
  expect(cited.filter((one) => !known.has(one.split(" ")[0]!))).toEqual([]);
});

test("every section that is cited exists, and every citation names its section", () => {
  const cited = sources.flatMap(([path, text]) =>
    [...text.matchAll(/\bdesign\.md#([\w-]+)/g)].map(([, anchor]) => ({ path, anchor })),
  );
  expect(cited.length).toBeGreaterThan(15);
  expect(cited.filter(({ anchor }) => !anchors.includes(anchor!))).toEqual([]);
  // A bare section number does not show what the citation means, and an edit of the page may change the number.
  const numbered = new RegExp(["design", "§"].join(" "));
  expect(sources.filter(([, text]) => numbered.test(text)).map(([path]) => path)).toEqual([]);
});

test("every file that the page names exists", () => {
  const paths = codeWords(page).filter((word) => /^[\w.-]+\/[\w./-]+\.(?:ts|mjs|md)$/.test(word));
  expect(paths.length).toBeGreaterThan(200);
  expect(paths.filter((path) => !isFile(path))).toEqual([]);
});

test("every name is defined in the file behind it", () => {
  expect(named.length).toBeGreaterThan(200);
  const lost = named.filter(({ name, path }) => !isFile(path) || !isDefined(textOf(path), name));
  expect(lost).toEqual([]);
});

test("every title that the page names is the title of a test in the file that the page names beside it", () => {
  const tests = invariants.flatMap(({ section }) => caughtBy(section));
  expect(tests.filter(({ titles }) => titles.length === 0)).toEqual([]);
  const lost = tests.flatMap(({ path, titles }) =>
    titles.filter((title) => !isFile(path) || !hasTitle(textOf(path), title)).map((title) => ({ path, title })),
  );
  expect(lost).toEqual([]);
});

const KEY_SECTIONS = [
  "An invocation",
  "An object or a workflow",
  "The sweeper's partition",
  "The registry and the store itself",
];

test("every key on the page begins as in the code that makes it", () => {
  const rows = KEY_SECTIONS.flatMap((heading) =>
    sectionOf(heading)
      .split("\n")
      .filter((row) => row.startsWith("| `")),
  );
  expect(rows.length).toBeGreaterThan(25);
  for (const row of rows) {
    const keys = codeWords(row.split(" | ").slice(0, 2).join(" | ")).filter((word) => /^[\w<][^ ]*$/.test(word));
    const code = [...row.matchAll(/\(`([^`]+\/[^`]+)`\)/g)].map(([, path]) => textOf(path!)).join("\n");
    const beginnings = keys.map((key) => /^\w+/.exec(key.replace("<prefix>", ""))![0]);
    expect(
      beginnings.filter((beginning) => !code.includes(beginning)),
      row,
    ).toEqual([]);
  }
});

test("every function that makes a key is on the page", () => {
  const makers = ["item-keys", "object-keys"].flatMap((name) =>
    [...textOf(`shared/engine/store/${name}.ts`).matchAll(/^export function (\w+(?:Key|Keys|Pk))\(/gm)].map(
      ([, maker]) => maker!,
    ),
  );
  expect(makers.length).toBeGreaterThan(12);
  const words = new Set(codeWords(page));
  expect(makers.filter((maker) => !words.has(maker))).toEqual([]);
});

test("the layers on the page are those by which imports are checked, in the same order", () => {
  const layers = ROOMS.map(({ folder }) => folder).filter((folder) => /^shared\/engine(?:\/|$)/.test(folder));
  const told = [...sectionOf("Layers of the engine").matchAll(/^\| `([^`]+)` \|/gm)].map(([, name]) =>
    name!.includes("/") ? name! : `shared/engine/${name!}`,
  );
  expect(layers.length).toBeGreaterThan(10);
  expect(told).toEqual(layers);
});

/** The most files through which a plain call may pass. */
const FILES_OF_A_CALL_MAX = 25;

test("a plain call passes through few files, and each exists", () => {
  const files = pathOfACall(page);
  expect(files.length).toBeGreaterThan(10);
  expect(files.length).toBeLessThanOrEqual(FILES_OF_A_CALL_MAX);
  expect(new Set(files).size).toBe(files.length);
  expect(files.filter((path) => !isFile(path))).toEqual([]);
});

test("each word has one row in the tables", () => {
  const terms = [...page.split("\n## Keys\n")[0]!.matchAll(/^\| ([^|`]+) \| .+ \|$/gm)]
    .map(([, term]) => term!)
    .filter((term) => term !== "word");
  expect(terms.length).toBeGreaterThan(50);
  expect(terms.filter((term, at) => terms.indexOf(term) !== at)).toEqual([]);
});
