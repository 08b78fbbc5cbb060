/** Evaluates the statements of IAM's policies, as far as the policies of the documentation use the language. */

export interface PolicyStatement {
  readonly Sid?: string;
  readonly Effect: "Allow" | "Deny";
  readonly Action?: string | readonly string[];
  readonly NotAction?: string | readonly string[];
  readonly Resource: string | readonly string[];
  readonly Condition?: Readonly<Record<string, Readonly<Record<string, string | readonly string[]>>>>;
}

export interface Request {
  readonly action: string;
  readonly resource: string;
  /** The condition keys of the request, with their values. */
  readonly context: Readonly<Record<string, string | readonly string[]>>;
}

/** @returns the statement that denies the request @throws Error for an operator that this reader does not know */
export function denying(statements: readonly PolicyStatement[], request: Request): PolicyStatement | undefined {
  return statements.find((statement) => statement.Effect === "Deny" && applies(statement, request));
}

function applies({ Action, NotAction, Resource, Condition = {} }: PolicyStatement, request: Request): boolean {
  const isAction =
    NotAction === undefined
      ? matchesOne(list(Action).map(lower), lower(request.action))
      : !matchesOne(list(NotAction).map(lower), lower(request.action));
  return (
    isAction &&
    matchesOne(list(Resource), request.resource) &&
    Object.entries(Condition).every(([operator, keys]) =>
      Object.entries(keys).every(([key, values]) => holds(operator, list(request.context[key]), list(values))),
    )
  );
}

function holds(operator: string, given: readonly string[], expected: readonly string[]): boolean {
  switch (operator) {
    case "ArnEquals":
    case "ArnLike":
    case "ForAnyValue:StringEquals":
      return given.some((value) => matchesOne(expected, value));
    case "ArnNotEquals":
    case "ArnNotLike":
      return given.every((value) => !matchesOne(expected, value));
    default:
      throw new Error(`unknown to this reader: ${operator}`);
  }
}

function matchesOne(patterns: readonly string[], value: string): boolean {
  return patterns.some((pattern) => isLike(value, pattern));
}

/** `*` stands for any characters. */
export function isLike(value: string, pattern: string): boolean {
  const [first, ...others] = pattern.split("*") as [string, ...string[]];
  if (others.length === 0) return value === pattern;
  if (!value.startsWith(first)) return false;
  let at = first.length;
  for (const part of others.slice(0, -1)) {
    const found = value.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  const last = others.at(-1)!;
  return value.length >= at + last.length && value.endsWith(last);
}

function list(value: string | readonly string[] | undefined): readonly string[] {
  return value === undefined ? [] : [value].flat();
}

const lower = (text: string): string => text.toLowerCase();
