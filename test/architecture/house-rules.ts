/** Every rule of the architecture as a function from a tree of sources to complaints, so that tests can plant violations. */
import { builtinModules } from "node:module";
import { posix } from "node:path";
import { ROOMS, refusedFile, refusedPackage, roomOf } from "./arrows.ts";
import { readModule, type Module } from "./module-reader.ts";
import type { SourceTree } from "./source-tree.ts";

export type Complaint = string;

const LINES_MAX = 600;
export const LINES_TO_LOOK_TWICE = 400;
/** Tables are read row by row, so they may be longer than other files. */
const TABLES: ReadonlySet<string> = new Set(["shared/core/protocol/commands.ts"]);
const README_LINES_MAX = 40;

const TOP_FOLDERS = new Set([
  "shared",
  "functions",
  "examples",
  "test",
  "docs",
  "infra",
  "localstack",
  "ui",
  ".ci",
  ".vscode",
]);
const TOP_FILES = new Set(
  `package.json package-lock.json tsconfig.json vitest.config.ts build.mjs dev.mjs cdk.json README.md LICENSE NOTICE SECURITY.md
  CHANGELOG.md CONTRIBUTING.md Dockerfile .editorconfig .nvmrc .npmrc .gitignore .dockerignore .oxlintrc.json .oxfmtrc.json`.split(
    /\s+/,
  ),
);
const ROOMS_WITH_README = [
  "shared/core",
  "shared/engine",
  "shared/adapters",
  "shared/api",
  "functions",
  "ui",
  "test",
  "examples",
];
const FORBIDDEN_NAMES = /^(utils?|helpers?|commons?|types?|libs?|misc)$/;
const FORBIDDEN_PARTS = /(^|-)(utils?|helpers?|misc|impl)(-|$)/;
const KEBAB_CASE = /^[a-z0-9]+(-[a-z0-9]+)*(\.(test|d|config))?$/;

const isSource = (path: string): boolean => /\.(ts|tsx|mts|mjs)$/.test(path);
const inHouse = (path: string): boolean => /^(shared|functions|ui|test|examples|infra|localstack)\//.test(path);

/** @throws Error if a source does not parse */
export function readModules(tree: SourceTree): Module[] {
  return [...tree].filter(([path]) => isSource(path)).map(([path, text]) => readModule(path, text));
}

/** A relative import as a path of the repository, anything else as the name of a package or `node:` module. */
function resolved(from: string, target: string): { file: string } | { pack: string } {
  if (target.startsWith(".")) return { file: posix.normalize(posix.join(posix.dirname(from), target)) };
  if (target.startsWith("node:") || builtinModules.includes(target))
    return { pack: `node:${target.replace("node:", "")}` };
  return { pack: target.split("/", target.startsWith("@") ? 2 : 1).join("/") };
}

function fileOf(from: string, target: string | undefined): string[] {
  const to = target === undefined ? undefined : resolved(from, target);
  return to !== undefined && "file" in to ? [to.file] : [];
}

/** A template has the files of the template `greeter` beside its own (`functions/cli/commands/example-command.ts`). */
function inTemplate<Target extends { file: string } | { pack: string }>(
  to: Target,
  paths: ReadonlySet<string>,
): Target {
  if (!("file" in to) || paths.has(to.file)) return to;
  const shared = to.file.replace(/^examples\/templates\/\w+\//, "examples/templates/greeter/");
  return paths.has(shared) ? { ...to, file: shared } : to;
}

/** Checks each import of each file against the allow-list. */
export function forbiddenImports(modules: readonly Module[]): Complaint[] {
  const paths = new Set(modules.map(({ path }) => path));
  const complaints: (Complaint | undefined)[] = [];
  for (const { path, imports } of modules.filter(({ path }) => inHouse(path))) {
    if (roomOf(path) === undefined) complaints.push(`${path} is in no room of the table`);
    for (const { target, line, isTypeOnly = false } of imports) {
      if (target === undefined) {
        if (!path.startsWith("test/")) complaints.push(`${path}:${line} imports a target that is computed`);
        continue;
      }
      const to = inTemplate(resolved(path, target), paths);
      if ("pack" in to) complaints.push(refusedPackage(path, to.pack));
      else if (paths.has(to.file)) complaints.push(refusedFile(path, to.file, isTypeOnly));
      else if (!/\.(json|js)$/.test(to.file)) complaints.push(`${path}:${line} imports ${target}, which is not there`);
    }
  }
  return complaints.filter((complaint) => complaint !== undefined);
}

/** Finds each circle of files that import each other, once. */
export function circles(modules: readonly Module[]): Complaint[] {
  const graph = new Map(
    modules.map(({ path, imports }) => [path, imports.flatMap(({ target }) => fileOf(path, target))]),
  );
  return circlesOf(graph).map((trail) => `circle: ${trail.join(" -> ")}`);
}

/** Finds each circle of folders whose files import each other, once, with the imports that make the circle. */
export function folderCircles(modules: readonly Module[]): Complaint[] {
  const graph = new Map<string, string[]>();
  const reasons = new Map<string, string>();
  for (const { path, imports } of modules) {
    for (const { target } of imports) {
      const [from, to] = [posix.dirname(path), fileOf(path, target).map(posix.dirname)[0]];
      if (to === undefined || to === from) continue;
      if (!reasons.has(`${from} -> ${to}`)) graph.set(from, [...(graph.get(from) ?? []), to]);
      reasons.set(`${from} -> ${to}`, `${path} imports ${target}`);
    }
  }
  return circlesOf(graph).map((trail) => {
    const why = trail.slice(1).map((folder, at) => reasons.get(`${trail[at]} -> ${folder}`));
    return `circle of folders: ${trail.join(" -> ")} (${why.join("; ")})`;
  });
}

/** @returns each circle as a list of names whose last name repeats the first */
function circlesOf(graph: ReadonlyMap<string, readonly string[]>): (readonly string[])[] {
  const finished = new Set<string>();
  const found: (readonly string[])[] = [];
  const visit = (name: string, trail: readonly string[]): void => {
    const at = trail.indexOf(name);
    if (at >= 0) found.push([...trail.slice(at), name]);
    if (at >= 0 || finished.has(name)) return;
    for (const next of graph.get(name) ?? []) visit(next, [...trail, name]);
    finished.add(name);
  };
  for (const name of graph.keys()) visit(name, []);
  return found;
}

export function reexports(modules: readonly Module[]): Complaint[] {
  return modules.flatMap(({ path, reexportLines }) =>
    reexportLines.map((line) => `${path}:${line} exports what it imports`),
  );
}

export function badNames(tree: SourceTree): Complaint[] {
  const complaints: Complaint[] = [];
  for (const path of [...tree.keys()].filter(inHouse)) {
    for (const part of path.split("/").slice(1)) {
      const name = part.replace(/\.[^.]+$/, "");
      const plain = name.replace(/\.test$/, "");
      if (FORBIDDEN_NAMES.test(plain) || FORBIDDEN_PARTS.test(plain))
        complaints.push(`${path}: "${part}" says nothing`);
      if (isSource(part) && !KEBAB_CASE.test(name)) complaints.push(`${path}: "${part}" is not in kebab-case`);
    }
  }
  return complaints;
}

export function tooLong(modules: readonly Module[], linesMax = LINES_MAX): Complaint[] {
  return modules
    .filter(({ path, lines }) => lines > linesMax && !TABLES.has(path))
    .map(({ path, lines }) => `${path} has ${lines} lines`);
}

/** Finds files of `shared`, `functions` and `ui` that do not open with a comment of at least one full sentence. */
export function withoutOpening(modules: readonly Module[]): Complaint[] {
  return modules
    .filter(({ path, opening }) => /^(shared|functions|ui)\//.test(path) && !/^\S[^]{9,}[.:](\s|$)/.test(opening ?? ""))
    .map(({ path }) => `${path} does not open with a sentence that says what it is`);
}

/** Finds names at the top level that are not listed, and rooms that contain only a README. */
export function strangersAndEmptyRooms(tree: SourceTree): Complaint[] {
  const complaints: Complaint[] = [];
  const contents = new Map<string, number>();
  for (const path of tree.keys()) {
    const [top, ...rest] = path.split("/") as [string, ...string[]];
    if (rest.length === 0 ? !TOP_FILES.has(top) : !TOP_FOLDERS.has(top))
      complaints.push(`${path} is a stranger at the top level`);
    const folders = rest.map((_, depth) => [top, ...rest.slice(0, depth)].join("/"));
    for (const folder of folders)
      contents.set(folder, (contents.get(folder) ?? 0) + (path.endsWith("README.md") ? 0 : 1));
  }
  for (const [folder, count] of contents) if (count === 0) complaints.push(`${folder} is an empty room`);
  return complaints;
}

export function readmes(tree: SourceTree): Complaint[] {
  const missing = ROOMS_WITH_README.filter((room) => !tree.has(`${room}/README.md`)).map(
    (room) => `${room} has no README.md`,
  );
  const long = [...tree]
    .filter(([path, text]) => path.endsWith("/README.md") && text.trimEnd().split("\n").length > README_LINES_MAX)
    .map(([path]) => `${path} has more than ${README_LINES_MAX} lines`);
  return [...missing, ...long];
}

/** Finds rooms that the README of the floor above them does not name; that of the repository names the folders at its top. */
export function unnamedRooms(tree: SourceTree): Complaint[] {
  const inTree = ROOMS.map(({ folder }) => folder).filter((folder) =>
    [...tree.keys()].some((path) => path.startsWith(`${folder}/`)),
  );
  const tops = [...TOP_FOLDERS].filter(
    (top) => !top.startsWith(".") && [...tree.keys()].some((path) => path.startsWith(`${top}/`)),
  );
  return [...new Set([...inTree, ...tops])].flatMap((folder) => {
    const readme = readmeAbove(tree, folder);
    const name = folder.split("/").at(-1)!;
    const isNamed = readme !== undefined && codeWords(tree.get(readme)!).some((word) => word.split("/").includes(name));
    return isNamed ? [] : [`${readme ?? "no README.md"} does not name the room ${folder}`];
  });
}

/** The words in code style; `{a,b}` of a path is its parts, one by one. */
function codeWords(text: string): readonly string[] {
  return [...text.matchAll(/`([^`\n]+)`/g)].flatMap(([, word]) => word!.split(/[{},]/));
}

function readmeAbove(tree: SourceTree, folder: string): string | undefined {
  for (let above = posix.dirname(folder); ; above = posix.dirname(above)) {
    const readme = above === "." ? "README.md" : `${above}/README.md`;
    if (tree.has(readme)) return readme;
    if (above === ".") return undefined;
  }
}

interface Manifest {
  readonly name?: string;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
}

/**
 * Shipped code may import only dependencies and must import each of them. Tests and examples may import all declared packages.
 */
export function undeclaredOrUnused(tree: SourceTree, modules: readonly Module[]): Complaint[] {
  const manifest = JSON.parse(tree.get("package.json") ?? "{}") as Manifest;
  const shipped = new Set(Object.keys(manifest.dependencies ?? {}));
  // An example imports this package itself by its name, as it would where the package is installed.
  const own = manifest.name === undefined ? [] : [manifest.name];
  const declared = new Set([...shipped, ...Object.keys(manifest.devDependencies ?? {}), ...own]);
  const used = new Set<string>();
  const complaints = new Set<Complaint>();
  for (const { path, imports } of modules) {
    const ships = /^(shared|functions)\//.test(path);
    for (const { target } of imports) {
      if (target === undefined) continue;
      const to = resolved(path, target);
      if ("file" in to || to.pack.startsWith("node:")) continue;
      if (ships) used.add(to.pack);
      // A suite that has its own package.json declares its packages in that file.
      const ownManifest = [...tree.keys()].some(
        (file) => file.endsWith("/package.json") && path.startsWith(posix.dirname(file)),
      );
      if (!(ships ? shipped : declared).has(to.pack) && !ownManifest)
        complaints.add(`${path} imports ${to.pack}, which is not declared`);
    }
  }
  for (const name of shipped)
    if (!used.has(name)) complaints.add(`package.json depends on ${name}, which nothing imports`);
  return [...complaints];
}

/** Finds rooms of the allow-list that have no files. */
export function roomsWithoutFiles(tree: SourceTree): Complaint[] {
  return ROOMS.filter(({ folder }) => ![...tree.keys()].some((path) => path.startsWith(`${folder}/`))).map(
    ({ folder }) => `${folder} is in the table but has no files`,
  );
}

/** Finds configurations of vitest that name their pool, because `test/in-threads.ts` alone keeps libraries loaded for worker threads. */
export function namedPools(tree: SourceTree): Complaint[] {
  return [...tree]
    .filter(([path, text]) => /(^|\/)vitest\.config\.ts$/.test(path) && /\bpool\s*:/.test(text))
    .map(([path]) => `${path} names its pool instead of IN_THREADS`);
}
