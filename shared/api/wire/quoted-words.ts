/** Texts as single words of a shell and as literals of SQL. */

const PLAIN = /^[\w@%+=:,./-]+$/;

/** The word in single quotes if it contains a character with a meaning in a shell. */
export function shellWord(word: string): string {
  return PLAIN.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}

export function sqlText(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}
