/** Reads from one source text what the architecture check needs: its imports, its re-exports, its opening comment. */
import { parseSync, Visitor } from "oxc-parser";

/** One import. Its target is absent if the specifier is not a literal, because such an import cannot be checked. */
export interface Import {
  readonly target: string | undefined;
  readonly line: number;
  /** True if nothing of the import is left at run time: `import type`, or `import("…")` in a type. */
  readonly isTypeOnly?: boolean;
}

export interface Module {
  readonly path: string;
  readonly lines: number;
  /** Imports of all forms: static, type-only, dynamic, `import("…")` in a type, and `require`. */
  readonly imports: readonly Import[];
  /** Lines that export an imported name again. */
  readonly reexportLines: readonly number[];
  /** The text of the opening comment without its stars; absent if the file opens otherwise. */
  readonly opening: string | undefined;
}

/** @throws Error if the text does not parse, because an unread file must never count as a clean one */
export function readModule(path: string, text: string): Module {
  const parsed = parseSync(path, text);
  const broken = parsed.errors.find((error) => error.severity === "Error");
  if (broken !== undefined) throw new Error(`${path} does not parse: ${broken.message}`);
  const lineAt = (offset: number): number => text.slice(0, offset).split("\n").length;

  const imports: Import[] = [];
  const typeOnly = typeOnlyRequests(parsed.program);
  const imported = new Set<string>();
  for (const { moduleRequest, entries } of parsed.module.staticImports) {
    const line = lineAt(moduleRequest.start);
    imports.push({ target: moduleRequest.value, line, isTypeOnly: typeOnly.has(moduleRequest.start) });
    for (const entry of entries) imported.add(entry.localName.value);
  }
  const reexportLines: number[] = [];
  for (const entry of parsed.module.staticExports.flatMap(({ entries }) => entries)) {
    if (entry.moduleRequest) imports.push({ target: entry.moduleRequest.value, line: lineAt(entry.start) });
    const passedOn = entry.localName.name !== null && imported.has(entry.localName.name);
    if (entry.moduleRequest || passedOn) reexportLines.push(lineAt(entry.start));
  }
  imports.push(...importsInExpressions(parsed.program, lineAt));
  return { path, lines: text.split("\n").length - 1, imports, reexportLines, opening: openingOf(text) };
}

type Program = ReturnType<typeof parseSync>["program"];

/** Where the sources of `import type` begin. `import { type X }` still loads the module, so it is none of them. */
function typeOnlyRequests(program: Program): ReadonlySet<number> {
  const imports = program.body.filter((statement) => statement.type === "ImportDeclaration");
  return new Set(imports.filter(({ importKind }) => importKind === "type").map(({ source }) => source.start));
}

/**
 * Finds imports in the syntax tree, because the parser's module record lists neither `import("…")` in a type nor
 * `require("…")`.
 */
function importsInExpressions(program: Program, lineAt: (offset: number) => number): Import[] {
  const found: Import[] = [];
  const add = (node: { type: string; start: number; value?: unknown } | undefined, isTypeOnly = false): void => {
    if (node === undefined) return;
    const literal = node.type === "Literal" && typeof node.value === "string";
    found.push({ target: literal ? String(node.value) : undefined, line: lineAt(node.start), isTypeOnly });
  };
  new Visitor({
    ImportExpression: (node) => add(node.source),
    TSImportType: (node) => add(node.source, true),
    TSExternalModuleReference: (node) => add(node.expression),
    CallExpression: (node) => {
      if (node.callee.type === "Identifier" && node.callee.name === "require") add(node.arguments[0]);
    },
  }).visit(program);
  return found;
}

function openingOf(text: string): string | undefined {
  const match = /^(?:#![^\n]*\n)?\/\*\*([^]*?)\*\//.exec(text);
  return match?.[1]?.replace(/^\s*\* ?/gm, "").trim();
}
