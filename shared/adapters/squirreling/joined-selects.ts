/** Moves each joined subquery into a WITH clause, because the SQL engine joins only tables and the names that a WITH defines. */
import { append, closings, isSign, isWord, type Token, tokensOf } from "./tokens.ts";

/** The beginning of the names that joined subqueries get. */
const NAME = "joined_select_";

/**
 * Turns `a JOIN (SELECT ...) b ON ...` into `WITH joined_select_1 AS (SELECT ...) ... a JOIN joined_select_1 b ON ...`.
 * The new definition comes after the definitions of the names that the subquery uses.
 */
export function joinedSelects(tokens: readonly Token[]): readonly Token[] {
  const isMet = tokens.some((token, at) => isWord(token, "JOIN") && isSign(tokens[at + 1], "("));
  return isMet ? withDefinitions(new Rewriting(tokens).within(0, tokens.length)) : tokens;
}

interface Rewritten {
  readonly statement: readonly Token[];
  /** The definitions of the names in the statement. Each begins with a comma. */
  readonly definitions: readonly Token[];
}

class Rewriting {
  readonly #tokens: readonly Token[];
  readonly #ends: ReadonlyMap<number, number>;
  #named = 0;

  constructor(tokens: readonly Token[]) {
    this.#tokens = tokens;
    this.#ends = closings(tokens);
  }

  /**
   * Rewrites the tokens from index `from` up to index `to`, without the token at `to`. These are all tokens of the statement, or
   * all tokens between two parentheses.
   */
  within(from: number, to: number): Rewritten {
    const statement: Token[] = [];
    const definitions: Token[] = [];
    for (let at = from; at < to; at++) {
      const open = this.#tokens[at]!;
      const end = this.#ends.get(at);
      if (end === undefined) {
        statement.push(open);
        continue;
      }
      const close = this.#tokens[end - 1]!;
      const inner = this.within(at + 1, end - 1);
      if (isWord(statement.at(-1), "JOIN") && isWord(inner.statement[0], "SELECT", "WITH")) {
        const name = `${NAME}${++this.#named}`;
        append(definitions, tokensOf(`, ${name} AS `), [open], withDefinitions(inner), [close]);
        append(statement, tokensOf(` ${name}`));
      } else if (isWord(statement.at(-1), "FROM", "AS")) append(statement, [open], withDefinitions(inner), [close]);
      else {
        // The SQL engine reads no WITH in an expression.
        append(statement, [open], inner.statement, [close]);
        append(definitions, inner.definitions);
      }
      at = end - 1;
    }
    return { statement, definitions };
  }
}

function withDefinitions({ statement, definitions }: Rewritten): readonly Token[] {
  if (definitions.length === 0) return statement;
  const out: Token[] = [];
  const main = isWord(statement[0], "WITH") ? mainSelect(statement) : 0;
  if (main === 0) append(out, tokensOf(" WITH"), definitions.slice(1));
  else append(out, statement.slice(0, main), definitions);
  append(out, spaced(statement.slice(main)));
  return out;
}

/** @returns the index of the SELECT that follows the definitions of a WITH */
function mainSelect(statement: readonly Token[]): number {
  const ends = closings(statement);
  for (let at = 1; at < statement.length; at = ends.get(at) ?? at + 1) if (isWord(statement[at], "SELECT")) return at;
  return statement.length;
}

/** Puts a space before the first token, so that it does not touch the token that now precedes it. */
function spaced(tokens: readonly Token[]): readonly Token[] {
  return tokens.map((token, at) => (at === 0 ? { ...token, before: ` ${token.before}` } : token));
}
