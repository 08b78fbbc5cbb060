/** Splits a statement into tokens, and reads them one after the other. */
import { SqlError } from "../../engine/ports/sql.ts";

export interface Token {
  readonly kind: "word" | "quoted" | "text" | "number" | "sign" | "end";
  /** The name or the text without its quotes. */
  readonly text: string;
  /** The index of its first letter in the statement. */
  readonly at: number;
}

/** White space and comments. An unclosed comment ends with the statement. */
const BETWEEN = /(?:\s|--[^\n]*|\/\*(?:[^*]|\*(?!\/))*(?:\*\/)?)*/y;
const KINDS: readonly (readonly [Token["kind"], RegExp])[] = [
  ["text", /'(?:[^']|'')*'/y],
  ["quoted", /"(?:[^"]|"")*"/y],
  ["number", /(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?/y],
  ["word", /[\p{L}_][\p{L}\p{N}_$]*/uy],
  ["sign", /->>|->|\|\||::|<=|>=|<>|!=|==|[\s\S]/uy],
];

/** @returns the tokens, and a last one of the kind `end`. */
function tokensOf(statement: string): readonly Token[] {
  const tokens: Token[] = [];
  let at = 0;
  for (;;) {
    at += matchAt(BETWEEN, statement, at)?.length ?? 0;
    if (at >= statement.length) break;
    for (const [kind, pattern] of KINDS) {
      const text = matchAt(pattern, statement, at);
      if (text === undefined) continue;
      tokens.push({ kind, text: kind === "text" || kind === "quoted" ? withoutQuotes(text) : text, at });
      at += text.length;
      break;
    }
  }
  tokens.push({ kind: "end", text: "the end of the statement", at });
  return tokens;
}

function matchAt(pattern: RegExp, text: string, at: number): string | undefined {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0];
}

function withoutQuotes(text: string): string {
  const quote = text[0]!;
  return text.slice(1, -1).replaceAll(quote + quote, quote);
}

/** How deeply parentheses and the like may be nested, and how many operators of one level may follow each other. */
const DEPTH_MAX = 400;
const CHAIN_MAX = 2_000;
/** Words that are no name of a column, a table or an alias without quotes. */
const RESERVED = new Set(
  (
    "SELECT FROM WHERE WITH AND OR NOT IS LIKE ILIKE IN BETWEEN TRUE FALSE NULL EXISTS CASE WHEN THEN ELSE END INTERVAL GROUP BY " +
    "HAVING ORDER LIMIT OFFSET AS ALL DISTINCT JOIN INNER LEFT RIGHT FULL CROSS OUTER ON UNION INTERSECT EXCEPT"
  ).split(" "),
);

const SHOWN_MAX = 50;

export class TokenReader {
  readonly #tokens: readonly Token[];
  #at = 0;
  #depth = 0;

  constructor(statement: string) {
    this.#tokens = tokensOf(statement);
  }

  get token(): Token {
    return this.#tokens[this.#at]!;
  }

  skip(): void {
    this.#at += 1;
  }

  /** True if the token after the next one has the kind. */
  isNext(kind: Token["kind"]): boolean {
    return this.#tokens[this.#at + 1]?.kind === kind;
  }

  /** @param ahead the distance from the next token */
  isSign(sign: string, ahead = 0): boolean {
    const token = this.#tokens[this.#at + ahead];
    return token?.kind === "sign" && token.text === sign;
  }

  isWord(word: string, ahead = 0): boolean {
    const token = this.#tokens[this.#at + ahead];
    return token?.kind === "word" && token.text.toUpperCase() === word;
  }

  /** True if the next token is a name, and not a word with a meaning of its own. */
  isName(): boolean {
    const { kind, text } = this.token;
    return kind === "quoted" || (kind === "word" && !RESERVED.has(text.toUpperCase()));
  }

  /** Goes past the sign if it is next. */
  sign(sign: string): boolean {
    const isNext = this.isSign(sign);
    if (isNext) this.#at += 1;
    return isNext;
  }

  /** Goes past the words if they are next. */
  words(...words: readonly string[]): boolean {
    const areNext = words.every((word, at) => this.isWord(word, at));
    if (areNext) this.#at += words.length;
    return areNext;
  }

  expectSign(sign: string): void {
    if (!this.sign(sign)) throw this.unexpected(`'${sign}'`);
  }

  expectWords(...words: readonly string[]): void {
    if (!this.words(...words)) throw this.unexpected(words.join(" "));
  }

  expectKind(kind: Token["kind"], what: string): Token {
    const { token } = this;
    if (token.kind !== kind) throw this.unexpected(what);
    this.#at += 1;
    return token;
  }

  name(what: string): string {
    if (!this.isName()) throw this.unexpected(what);
    return this.anyName(what);
  }

  /** A name where no word has a meaning of its own, as after AS and after a point. */
  anyName(what: string): string {
    const { kind, text } = this.token;
    if (kind !== "word" && kind !== "quoted") throw this.unexpected(what);
    this.#at += 1;
    return text;
  }

  inParentheses<T>(read: () => T): T {
    this.expectSign("(");
    const inner = read();
    this.expectSign(")");
    return inner;
  }

  listOf<T>(read: () => T): T[] {
    const list = [read()];
    while (this.sign(",")) list.push(read());
    return list;
  }

  /** @throws SqlError if the statement is nested too deeply */
  nested<T>(read: () => T): T {
    if (++this.#depth > DEPTH_MAX) throw new SqlError("refused", `a statement has at most ${DEPTH_MAX} levels`);
    const inner = read();
    this.#depth -= 1;
    return inner;
  }

  /**
   * Each operator of a chain is a level of the parsed statement.
   * @throws SqlError if too many operators of one level of precedence follow each other
   */
  checkLength(operators: number, max = CHAIN_MAX, what = "operators of one kind"): void {
    if (operators > max) throw new SqlError("refused", `at most ${max} ${what} follow each other`);
  }

  unexpected(wanted: string): SqlError {
    const { kind, text, at } = this.token;
    const found = kind === "end" ? text : `'${text.slice(0, SHOWN_MAX)}'`;
    return new SqlError("syntax", `Expected ${wanted} but found ${found} at position ${at}`);
  }
}
