/** Texts as literals of SQL. */

export function sqlText(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}
