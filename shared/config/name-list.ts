/** A setting whose value is a list of names: an array in a file, a comma-separated text elsewhere. */
import type { Setting } from "./setting-kinds.ts";

/** A valid header name; a trailing star matches any ending. */
const HEADER_NAME = /^[!#$%&'+.^_`|~0-9a-z-]+\*?$/;

/** A valid host name without its port; a star alone matches any host. */
const HOST_NAME = /^(?:\*|[a-z0-9_-]+(?:\.[a-z0-9_-]+)*)$/;

/** An origin as browsers send it: scheme, host, and the port if it is not that of the scheme. */
const ORIGIN = /^[a-z][a-z0-9+.-]*:\/\/(?:[a-z0-9._-]+|\[[0-9a-f:]+\])(?::[0-9]{1,5})?$/;

/** A caller's identity without spaces: the ARN of a role, a session or a user, or the issuer and the subject of a token. */
const PRINCIPAL = /^(?:arn:[!-+\--~]+|https:\/\/[!"$-+\--~]+#[!-+\--~]+)$/;

const NONE = "none";

/** Lower-case names, in the order given. */
export function headerNames(doc: string): Setting<readonly string[]> {
  return namesOf(HEADER_NAME, doc, "none, or a list of header names such as authorization, x-amz-*");
}

/** Lower-case names, in the order given. */
export function hostNames(doc: string): Setting<readonly string[]> {
  return namesOf(HOST_NAME, doc, "none, *, or a list of host names such as stepwell.example.com");
}

/** Lower-case origins, in the order given. */
export function origins(doc: string): Setting<readonly string[]> {
  return namesOf(ORIGIN, doc, "none, or a list of origins such as https://shop.example.com");
}

/** ARNs of principals, or `<issuer>#<subject>` of tokens, as given. */
export function principals(doc: string): Setting<readonly string[]> {
  return namesOf(PRINCIPAL, doc, "none, or a list such as arn:aws:iam::123456789012:role/support", (name) => name);
}

const lowerCase = (name: string): string => name.toLowerCase();

function namesOf(
  form: RegExp,
  doc: string,
  expected: string,
  written: (name: string) => string = lowerCase,
): Setting<readonly string[]> {
  return {
    kind: "text",
    fallbackText: NONE,
    fallback: [],
    doc,
    expected,
    read(raw) {
      if (raw === NONE) return { value: [] };
      const given: readonly unknown[] = typeof raw === "string" ? raw.split(",") : Array.isArray(raw) ? raw : [raw];
      if (!given.every((name) => typeof name === "string")) return undefined;
      const names = given.map((name) => written(name.trim())).filter((name) => name !== "");
      return names.every((name) => form.test(name)) ? { value: names } : undefined;
    },
  };
}
