/** Removes credentials from a query: signatures, tokens and keys, which must not be stored anywhere. */
import { isCredentialParameter } from "./credential-names.ts";

/**
 * @param query the query without its question mark
 * @param isWanted whether to keep a credential, by its lower-case name
 * @returns the other parameters, unchanged
 */
export function withoutCredentials(query: string, isWanted: (name: string) => boolean = () => false): string {
  if (query === "") return query;
  const parts = query.split("&");
  const kept = parts.filter((part) => {
    const name = nameOf(part);
    return !isCredentialParameter(name) || isWanted(name.toLowerCase());
  });
  return kept.length === parts.length ? query : kept.join("&");
}

function nameOf(part: string): string {
  const written = part.split("=", 1)[0]!;
  try {
    return decodeURIComponent(written.replaceAll("+", " "));
  } catch {
    return written;
  }
}
