/** Reads a parameter of the query of a request. */

/** @param name the parameter's name in lower case; names match case-insensitively, and the first match counts */
export function parameter(query: string, name: string): string | undefined {
  if (query === "") return undefined;
  for (const [key, value] of new URLSearchParams(query)) {
    if (key.toLowerCase() === name) return value;
  }
  return undefined;
}
