/**
 * The SQL engine keeps the cells of a row in an object under their names, where `__proto__` is no name but the object's
 * prototype. So this name has a stand-in within the engine.
 */
import type { Token } from "./tokens.ts";

const NAME = "__proto__";
/** Begins with a character of private use, which no name of a table or of a column has. */
const STAND_IN = `\ue000${NAME}`;

/** Puts the stand-in into a statement. */
export function withStandIn(tokens: readonly Token[]): readonly Token[] {
  return tokens.map((token) => {
    const isName = token.kind === "word" ? token.text === NAME : token.kind === "quoted" && token.text === `"${NAME}"`;
    return isName ? { ...token, kind: "quoted", text: `"${STAND_IN}"` } : token;
  });
}

/** Takes the stand-in out of the name of a column, or out of a message. */
export function withoutStandIn(text: string): string {
  return text.replaceAll(STAND_IN, NAME);
}
