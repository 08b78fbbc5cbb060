/** Splits a statement into tokens, including operators of PostgreSQL that the SQL engine does not have. */

export interface Token {
  readonly kind: "word" | "quoted" | "text" | "number" | "sign";
  readonly text: string;
  /** White space and comments before the token. */
  readonly before: string;
  /** `truthTests` replaces a test such as `IS TRUE` by `IS NOT NULL`, and stores the name `IS_TRUE` here, in the NULL token. */
  readonly truth?: string;
}

/** An unclosed comment ends with the statement. */
const BEFORE = /(?:\s|--[^\n]*|\/\*(?:[^*]|\*(?!\/))*(?:\*\/)?)*/y;
const KINDS: readonly (readonly [Token["kind"], RegExp])[] = [
  ["text", /'(?:[^']|'')*'?/y],
  ["quoted", /"(?:[^"]|"")*"?/y],
  ["number", /(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?\w*/y],
  ["word", /[\p{L}_][\p{L}\p{N}_$]*/uy],
  ["sign", /->>|->|\|\||::|<=|>=|<>|!=|==|[\s\S]/uy],
];

export function tokensOf(statement: string): readonly Token[] {
  const tokens: Token[] = [];
  for (let at = 0; at < statement.length;) {
    const before = matchAt(BEFORE, statement, at) ?? "";
    at += before.length;
    for (const [kind, pattern] of KINDS) {
      const text = matchAt(pattern, statement, at);
      if (text === undefined) continue;
      tokens.push({ kind, text, before });
      at += text.length;
      break;
    }
  }
  return tokens;
}

function matchAt(pattern: RegExp, text: string, at: number): string | undefined {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0];
}

/** Adds the tokens in a loop: a spread call takes only some ten thousand arguments, and a statement may have more tokens. */
export function append(out: Token[], ...lists: readonly (readonly Token[])[]): void {
  for (const list of lists) for (const token of list) out.push(token);
}

export function isWord(token: Token | undefined, ...words: readonly string[]): boolean {
  return token?.kind === "word" && words.includes(token.text.toUpperCase());
}

export function isSign(token: Token | undefined, sign: string): boolean {
  return token?.kind === "sign" && token.text === sign;
}

/** @returns for the index of each opening parenthesis, the index after its closing parenthesis */
export function closings(tokens: readonly Token[]): ReadonlyMap<number, number> {
  const found = new Map<number, number>();
  const open: number[] = [];
  for (const [at, token] of tokens.entries()) {
    if (isSign(token, "(")) open.push(at);
    const start = isSign(token, ")") ? open.pop() : undefined;
    if (start !== undefined) found.set(start, at + 1);
  }
  return found;
}

/** @returns the index after the parenthesis that closes the one at `open`; undefined if it is not closed */
export function afterClose(tokens: readonly Token[], open: number): number | undefined {
  let depth = 0;
  for (let at = open; at < tokens.length; at++) {
    if (isSign(tokens[at], "(")) depth += 1;
    if (isSign(tokens[at], ")")) depth -= 1;
    if (depth === 0) return at + 1;
  }
  return undefined;
}

/** @returns the index of the opening parenthesis that belongs to the one at `close`; undefined if it has none */
export function openOf(tokens: readonly Token[], close: number): number | undefined {
  let depth = 0;
  for (let at = close; at >= 0; at--) {
    if (isSign(tokens[at], ")")) depth += 1;
    if (isSign(tokens[at], "(")) depth -= 1;
    if (depth === 0) return at;
  }
  return undefined;
}
