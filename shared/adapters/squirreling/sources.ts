/** Rewrites for the SQL engine: SHOW and DESCRIBE commands, table names with a schema prefix, and each SELECT without FROM. */
import type { SqlTable } from "../../engine/ports/sql.ts";
import { isSign, isWord, type Token, tokensOf } from "./tokens.ts";

const ONE_ROW = "one_row";

/** The table of a SELECT without FROM. */
export const ONE_ROW_TABLE: SqlTable = {
  shape: { name: ONE_ROW, columns: [{ name: "row_number", type: "integer" }] },
  ordered: false,
  async *scan() {
    yield { cell: () => 1 };
  },
};

interface Command {
  /** The SELECT that answers the command; absent if the tokens are no such command. */
  readonly instead?: readonly Token[];
  readonly described?: string;
}

/** Recognizes SHOW TABLES, SHOW COLUMNS FROM a table, and DESCRIBE. */
export function commandOf(all: readonly Token[]): Command {
  const tokens = all.filter((token) => !isSign(token, ";"));
  const last = tokens.at(-1);
  if (isWord(tokens[0], "SHOW") && isWord(tokens[1], "TABLES") && tokens.length === 2)
    return {
      instead: tokensOf("SELECT table_catalog, table_schema, table_name, table_type FROM information_schema.tables"),
    };
  const isShow = isWord(tokens[0], "SHOW") && isWord(tokens[1], "COLUMNS") && isWord(tokens[2], "FROM", "IN");
  const isDescribe = isWord(tokens[0], "DESCRIBE", "DESC") && (tokens.length === 2 || isWord(tokens[1], "TABLE"));
  if (!(isShow && tokens.length === 4) && !(isDescribe && tokens.length <= 3)) return {};
  const described = last?.text.replaceAll('"', "").toLowerCase() ?? "";
  return {
    described,
    instead: tokensOf(
      `SELECT column_name, data_type, is_nullable FROM information_schema.columns
       WHERE table_name = '${described.replaceAll("'", "")}' ORDER BY ordinal_position`,
    ),
  };
}

/** Turns `information_schema.columns` into one quoted name, and `public.state` into `state`. */
export function schemaNames(tokens: readonly Token[]): readonly Token[] {
  const out: Token[] = [];
  for (let at = 0; at < tokens.length; at++) {
    const [token, dot, name] = tokens.slice(at, at + 3);
    const isQualified = isSign(dot, ".") && name !== undefined;
    if (isQualified && isWord(token, "INFORMATION_SCHEMA")) {
      const table = name.text.replaceAll('"', "").toLowerCase();
      out.push(...tokensOf(` "information_schema.${table}"`));
      at += 2;
    } else if (isQualified && isWord(token, "PUBLIC") && isWord(out.at(-1), "FROM", "JOIN")) {
      out.push({ ...name, before: token!.before });
      at += 2;
    } else out.push(token!);
  }
  return out;
}

const AFTER_COLUMNS = ["WHERE", "GROUP", "HAVING", "ORDER", "LIMIT", "OFFSET", "UNION", "EXCEPT", "INTERSECT"];

/** Gives each SELECT without FROM the table of one row. */
export function withSource(tokens: readonly Token[]): readonly Token[] {
  const out: Token[] = [];
  // For each open parenthesis, and for the statement itself: whether a SELECT still lacks its FROM.
  const isLacking = [false];
  const end = (): void => {
    if (isLacking.at(-1) === true) out.push(...tokensOf(` FROM ${ONE_ROW} `));
    isLacking[isLacking.length - 1] = false;
  };
  for (const token of tokens) {
    const isWithin = isWord(out.at(-1), "WITHIN");
    if (isSign(token, ")") || isSign(token, ";") || (isWord(token, ...AFTER_COLUMNS) && !isWithin)) end();
    if (isSign(token, ")") && isLacking.length > 1) isLacking.pop();
    if (isSign(token, "(")) isLacking.push(false);
    if (isWord(token, "SELECT", "FROM")) isLacking[isLacking.length - 1] = isWord(token, "SELECT");
    out.push(token);
  }
  if (isLacking.length === 1 && !isWord(tokens.at(-1), "SELECT")) end();
  return out;
}
