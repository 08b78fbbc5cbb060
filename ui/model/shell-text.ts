/** Words of command lines that readers copy into a shell. */

const PLAIN = /^[\w@%+=:,./-]+$/;

/** The word in single quotes if it contains a character with a meaning in a shell. */
export function quoted(word: string): string {
  return PLAIN.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}

/** @param url the URL of the request to the admin API @param header a further header */
export function curlLine(method: string, url: string, header?: string): string {
  const verb = method === "GET" ? "" : ` -X ${method}`;
  return `curl${verb}${header === undefined ? "" : ` -H ${quoted(header)}`} ${quoted(url)}`;
}
