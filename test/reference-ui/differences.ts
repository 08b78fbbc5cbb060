/**
 * How the pages of the reference's web UI differ between the reference server (`theirs`) and Stepwell (`ours`), each difference
 * with its reason. The differences are also in docs/compatibility.md.
 */

export interface Difference {
  readonly reason: string;
  /** The pages by title; all pages if absent. */
  readonly pages?: readonly string[];
  readonly on: "theirs" | "ours";
  /** The text that the pages show only over the server that `on` names. */
  readonly extra: RegExp;
}

const DIFFERENCES: readonly Difference[] = [
  {
    reason: "no idempotency key is made up for a caller that gave none",
    pages: ["invocation: awaits"],
    on: "theirs",
    extra: /^Details\nIdempotency key\n[0-9A-Z]{26}\n/m,
  },
  {
    reason: "the version of the server that accepted an invocation is not kept",
    on: "theirs",
    extra: /^Created by Restate\n<version>\n/m,
  },
  {
    reason: "a suspended invocation keeps the deployment of its last attempt",
    pages: ["nap", "hold", "open", "awaits"].map((name) => `invocation: ${name}`),
    on: "ours",
    extra: /(?<=^Deployment\n)Last attempt\n/m,
  },
  {
    reason: "the event of a failed attempt has no stack trace; the invocation has it in last_failure",
    pages: ["invocation: stumble"],
    on: "theirs",
    extra: /^Error: never well\n/m,
  },
];

/** @returns the differences that at least one of the pages shows */
export function differencesOn(titles: readonly string[]): readonly Difference[] {
  return DIFFERENCES.filter(({ pages }) => pages?.some((title) => titles.includes(title)) ?? true);
}

/** @returns the text without the parts that only this server causes, and the differences that were found */
export function withoutDifferences(on: Difference["on"], title: string, text: string) {
  const seen = DIFFERENCES.filter(
    (one) => one.on === on && (one.pages?.includes(title) ?? true) && one.extra.test(text),
  );
  return { text: seen.reduce((rest, one) => rest.replace(one.extra, ""), text), seen };
}
