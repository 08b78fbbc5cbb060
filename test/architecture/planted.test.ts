/** Plants one violation of each kind into a small clean tree and shows that its rule, and no other, finds it. */
import { expect, test } from "vitest";
import { CLEAN, MANIFEST, NOUN, README } from "./clean-tree.ts";
import * as rules from "./house-rules.ts";
import { readModule } from "./module-reader.ts";

const RULES = {
  forbiddenImports: (tree: Map<string, string>) => rules.forbiddenImports(rules.readModules(tree)),
  circles: (tree: Map<string, string>) => rules.circles(rules.readModules(tree)),
  folderCircles: (tree: Map<string, string>) => rules.folderCircles(rules.readModules(tree)),
  reexports: (tree: Map<string, string>) => rules.reexports(rules.readModules(tree)),
  badNames: rules.badNames,
  tooLong: (tree: Map<string, string>) => rules.tooLong(rules.readModules(tree)),
  withoutOpening: (tree: Map<string, string>) => rules.withoutOpening(rules.readModules(tree)),
  strangersAndEmptyRooms: rules.strangersAndEmptyRooms,
  readmes: rules.readmes,
  namedPools: rules.namedPools,
  undeclaredOrUnused: (tree: Map<string, string>) => rules.undeclaredOrUnused(tree, rules.readModules(tree)),
};

type Rule = keyof typeof RULES;

function complaintsOf(planted: Readonly<Record<string, string>>): Partial<Record<Rule, string[]>> {
  const tree = new Map(Object.entries({ ...CLEAN, ...planted }));
  const heard = Object.entries(RULES).map(([rule, judge]) => [rule, judge(tree)] as const);
  return Object.fromEntries(heard.filter(([, complaints]) => complaints.length > 0));
}

test("a clean tree has no complaint", () => expect(complaintsOf({})).toEqual({}));

const imports = (statement: string): string =>
  `/** A file with one bad import. */\n${statement}\nexport const bad = 1;\n`;

const SERVICES = '"../../shared/api/contract/services.ts"';

type Planted = readonly [title: string, rule: Rule, path: string, text: string, complaint: RegExp];

const PLANTED: readonly Planted[] = [
  [
    "core importing the engine",
    "forbiddenImports",
    "shared/core/object/bad.ts",
    imports('import { accept } from "../../engine/accept.ts"; void accept;'),
    /may not import shared\/engine$/,
  ],
  [
    "core importing a sibling room by type only",
    "forbiddenImports",
    "shared/core/registry/bad.ts",
    imports('import type { frame } from "../protocol/frame.ts";'),
    /may not import shared\/core\/protocol/,
  ],
  [
    "core naming a sibling in a type expression",
    "forbiddenImports",
    "shared/core/registry/bad.ts",
    imports('type F = import("../protocol/frame.ts").Frame;'),
    /may not import shared\/core\/protocol/,
  ],
  [
    "core importing node:",
    "forbiddenImports",
    "shared/core/model/bad.ts",
    imports('import { hash } from "node:crypto"; void hash;'),
    /node:crypto/,
  ],
  [
    "core importing a built-in without node:",
    "forbiddenImports",
    "shared/core/model/bad.ts",
    imports('import "fs";'),
    /node:fs/,
  ],
  [
    "core importing a declared package",
    "forbiddenImports",
    "shared/core/model/bad.ts",
    imports('import { Hono } from "hono"; void Hono;'),
    /hono, but shared\/core\/model may not/,
  ],
  [
    "core importing dynamically",
    "forbiddenImports",
    "shared/core/object/bad.ts",
    imports('void import("../../engine/accept.ts");'),
    /may not import shared\/engine$/,
  ],
  [
    "an import whose target is computed",
    "forbiddenImports",
    "shared/engine/bad.ts",
    imports("void import(String(1));"),
    /:2 imports a target that is computed/,
  ],
  [
    "a port importing the engine",
    "forbiddenImports",
    "shared/engine/ports/bad.ts",
    imports('import type { accept } from "../accept.ts";'),
    /engine\/ports may not import shared\/engine$/,
  ],
  [
    "the engine importing an adapter",
    "forbiddenImports",
    "shared/engine/bad.ts",
    imports('import type { clock } from "../adapters/system/clock.ts";'),
    /may not import shared\/adapters\/system/,
  ],
  ["the engine importing node:", "forbiddenImports", "shared/engine/bad.ts", imports('import "node:fs";'), /node:fs/],
  [
    "an adapter importing another",
    "forbiddenImports",
    "shared/adapters/embedded/bad.ts",
    imports('import type { clock } from "../system/clock.ts";'),
    /may not import shared\/adapters\/system/,
  ],
  [
    "an adapter importing the engine beyond its ports",
    "forbiddenImports",
    "shared/adapters/system/bad.ts",
    imports('import { accept } from "../../engine/accept.ts"; void accept;'),
    /may not import shared\/engine$/,
  ],
  [
    "the command importing the engine",
    "forbiddenImports",
    "functions/cli/bad.ts",
    imports('import { accept } from "../../shared/engine/accept.ts"; void accept;'),
    /may not import shared\/engine$/,
  ],
  [
    "a file of the command other than stepwell.ts importing the local process",
    "forbiddenImports",
    "functions/cli/bad.ts",
    imports('void import("../local/serve.ts");'),
    /may not import functions\/local/,
  ],
  [
    "shared importing functions",
    "forbiddenImports",
    "shared/api/http/bad.ts",
    imports('import { serve } from "../../../functions/local/serve.ts"; void serve;'),
    /may not import functions\/local/,
  ],
  [
    "anything importing a test",
    "forbiddenImports",
    "functions/local/bad.ts",
    imports('import "../../test/engine/accept.test.ts";'),
    /may not import test/,
  ],
  [
    "the web UI importing the engine",
    "forbiddenImports",
    "ui/data/bad.ts",
    imports('import type { accept } from "../../shared/engine/accept.ts";'),
    /ui\/data may not import shared\/engine$/,
  ],
  ...[
    `import { Service } from ${SERVICES}; void Service;`,
    `import { type ServiceBody } from ${SERVICES};`,
    `import ${SERVICES};`,
    `void import(${SERVICES});`,
  ].map((statement): Planted => [
    `the web UI loading the schemas of the admin API by ${statement}`,
    "forbiddenImports",
    "ui/data/bad.ts",
    imports(statement),
    /ui\/data may import only types of shared\/api\/contract$/,
  ]),
  [
    "a folder that the table of rooms does not list",
    "forbiddenImports",
    "shared/core/cellar/bad.ts",
    imports(""),
    /is in no room/,
  ],
  [
    "an import of a file that is not there",
    "forbiddenImports",
    "shared/engine/bad.ts",
    imports('import "./gone.ts";'),
    /which is not there/,
  ],
  [
    "a file importing itself through a type",
    "circles",
    "shared/engine/bad.ts",
    imports('import type { bad as again } from "./bad.ts";'),
    /circle: shared\/engine\/bad\.ts -> shared\/engine\/bad\.ts/,
  ],
  ["a re-export", "reexports", "shared/engine/bad.ts", imports('export { accept } from "./accept.ts";'), /bad\.ts:2 /],
  [
    "a re-export of types",
    "reexports",
    "shared/engine/bad.ts",
    imports('export type { accept } from "./accept.ts";'),
    /bad\.ts:2 /,
  ],
  [
    "a re-export of everything",
    "reexports",
    "shared/engine/bad.ts",
    imports('export * from "./accept.ts";'),
    /bad\.ts:2 /,
  ],
  [
    "a re-export in two steps",
    "reexports",
    "shared/engine/bad.ts",
    imports('import { accept } from "./accept.ts";\nexport { accept };'),
    /bad\.ts:3 /,
  ],
  ["a folder of helpers", "badNames", "shared/engine/helpers/bad.ts", NOUN, /"helpers" says nothing/],
  ["a file of types", "badNames", "shared/engine/types.ts", NOUN, /"types\.ts" says nothing/],
  ["a file of some utils", "badNames", "shared/engine/text-utils.ts", NOUN, /"text-utils\.ts" says nothing/],
  ["a file in camel case", "badNames", "shared/engine/textOf.ts", NOUN, /not in kebab-case/],
  ["a file of 601 lines", "tooLong", "shared/engine/bad.ts", NOUN + "\n".repeat(599), /has 601 lines/],
  ["a file without an opening", "withoutOpening", "shared/engine/bad.ts", "export const bad = 1;\n", /does not open/],
  [
    "a file whose opening is no sentence",
    "withoutOpening",
    "shared/engine/bad.ts",
    "/** bad file */\nexport const bad = 1;\n",
    /does not open/,
  ],
  [
    "a file whose opening comes late",
    "withoutOpening",
    "shared/engine/bad.ts",
    "export const bad = 1;\n/** Says it late. */\n",
    /does not open/,
  ],
  ["a stray file at the top", "strangersAndEmptyRooms", "notes.txt", "", /notes\.txt is a stranger/],
  ["a stray folder at the top", "strangersAndEmptyRooms", "src/main.ts", NOUN, /src\/main\.ts is a stranger/],
  [
    "a room with nothing but its description",
    "strangersAndEmptyRooms",
    "infra/README.md",
    README,
    /infra is an empty room/,
  ],
  ["a description that is too long", "readmes", "functions/README.md", "line\n".repeat(41), /more than 40 lines/],
  [
    "a package that is not declared",
    "undeclaredOrUnused",
    "test/bad.test.ts",
    imports('import "left-pad";'),
    /left-pad, which is not declared/,
  ],
  [
    "a suite in worker threads without the library of the stores",
    "namedPools",
    "test/engine/vitest.config.ts",
    'export default { test: { pool: "threads" } };\n',
    /names its pool/,
  ],
];

test("caught: a room that the README above it does not name", () => {
  const rooms = {
    "shared/core/model/a.ts": "",
    "shared/core/errors/a.ts": "",
    "shared/core/README.md": "`model` alone",
  };
  const tree = new Map(Object.entries({ ...rooms, "README.md": "`shared/core`" }));
  expect(rules.unnamedRooms(tree)).toEqual(["shared/core/README.md does not name the room shared/core/errors"]);
});

for (const [title, rule, path, text, complaint] of PLANTED) {
  test(`caught: ${title}`, () => {
    const heard = complaintsOf({ [path]: text });
    expect(Object.keys(heard)).toEqual([rule]);
    expect(heard[rule]).toEqual([expect.stringMatching(complaint)]);
  });
}

test("caught: a circle of three files, one of which is imported only for a type", () => {
  const heard = complaintsOf({
    "shared/engine/one.ts": imports('import { two } from "./two.ts"; void two;'),
    "shared/engine/two.ts": imports('import type { Three } from "./three.ts"; export const two = 2;'),
    "shared/engine/three.ts": imports('import { bad as first } from "./one.ts"; void first;'),
  });
  expect(heard).toEqual({ circles: [expect.stringMatching(/one\.ts -> .*two\.ts -> .*three\.ts -> .*one\.ts/)] });
});

test("caught: two folders that import each other, but whose files do not", () => {
  const heard = complaintsOf({
    "test/one/first.ts": imports('import { third } from "../two/third.ts"; void third;'),
    "test/one/second.ts": imports("export const second = 2;"),
    "test/two/third.ts": imports("export const third = 3;"),
    "test/two/fourth.ts": imports('import { second } from "../one/second.ts"; void second;'),
  });
  expect(heard).toEqual({
    folderCircles: [expect.stringMatching(/test\/one -> test\/two -> test\/one .*imports \.\.\/two\/third\.ts/)],
  });
});

test("caught: a dependency that nothing imports", () => {
  const manifest = { ...MANIFEST, dependencies: { ...MANIFEST.dependencies, undici: "7" } };
  expect(complaintsOf({ "package.json": JSON.stringify(manifest) })).toEqual({
    undeclaredOrUnused: [expect.stringMatching(/undici, which nothing imports/)],
  });
});

test("caught: a development package in shipped code", () => {
  const heard = complaintsOf({ "functions/local/bad.ts": imports('import "@restatedev/restate-sdk";') });
  expect(heard.undeclaredOrUnused).toEqual([expect.stringMatching(/which is not declared/)]);
});

test("a text that does not parse is an error, not a clean file", () => {
  expect(() => readModule("bad.ts", "import {")).toThrow(/bad\.ts does not parse/);
});
