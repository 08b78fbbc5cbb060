/** Finds regular expressions whose time grows faster than their input; the package `scslre` analyses them. */
import { parseSync, Visitor } from "oxc-parser";
import { analyse } from "scslre";

const READ = /^(?:shared|functions|ui|infra)\/.*\.(?:tsx?|mjs)$/;

/**
 * Expressions that the program builds from a string at run time, which no check can read: by path, with the reason why they are
 * safe.
 */
const MADE_LATER: Readonly<Record<string, string>> = {
  "infra/try/try-it.ts": "its last part is `TOLD_OF_EACH.source`, a literal that the check reads at its definition",
};

interface Expression {
  readonly source: string;
  readonly flags: string;
  readonly line: number;
}

/**
 * @param tree sources by path; only shipped files are checked
 * @returns a complaint for each slow expression, and for each that the check cannot read
 */
export function slowExpressions(tree: ReadonlyMap<string, string>): readonly string[] {
  return [...tree].flatMap(([path, text]) => {
    if (!READ.test(path)) return [];
    const { literals, unread } = expressionsIn(path, text);
    const hidden = path in MADE_LATER ? [] : unread.map((line) => `${path}:${line} builds an expression from a string`);
    return [...hidden, ...literals.flatMap((one) => complaintsOf(one).map((why) => `${path}:${one.line} ${why}`))];
  });
}

export function countExpressions(tree: ReadonlyMap<string, string>): number {
  const shipped = [...tree].filter(([path]) => READ.test(path));
  return shipped.reduce((sum, [path, text]) => sum + expressionsIn(path, text).literals.length, 0);
}

function expressionsIn(path: string, text: string) {
  const literals: Expression[] = [];
  const unread: number[] = [];
  const lineAt = (offset: number): number => text.slice(0, offset).split("\n").length;
  const made = (node: Made): void => {
    if (node.callee.name !== "RegExp") return;
    const [source, flags = { type: "Literal", value: "" }] = node.arguments;
    const isLiteral = source?.type === "Literal" && flags.type === "Literal";
    if (isLiteral && typeof source.value === "string") {
      literals.push({ source: source.value, flags: String(flags.value), line: lineAt(node.start) });
      // The literal in `new RegExp(/a/)` is checked by `Literal` below.
    } else if (!isLiteral) unread.push(lineAt(node.start));
  };
  new Visitor({
    Literal: (node) => {
      if (!("regex" in node)) return;
      literals.push({ source: node.regex.pattern, flags: node.regex.flags, line: lineAt(node.start) });
    },
    NewExpression: (node) => made(node as unknown as Made),
    CallExpression: (node) => made(node as unknown as Made),
  }).visit(parseSync(path, text).program);
  return { literals, unread };
}

interface Made {
  readonly start: number;
  readonly callee: { readonly name?: string };
  readonly arguments: readonly { readonly type: string; readonly value?: unknown }[];
}

function complaintsOf({ source, flags }: Expression): readonly string[] {
  const { reports } = analyse({ source, flags });
  return reports.map(
    ({ type, exponential }) =>
      `/${source}/${flags} takes ${exponential ? "exponential" : "more than linear"} time (${type})`,
  );
}
