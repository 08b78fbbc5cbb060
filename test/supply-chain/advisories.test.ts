/** Checks the shipped packages against the registry's advisories, if the registry serves any. */
import { expect, test } from "vitest";
import { outcomeOf } from "./outcome.ts";

interface Audit {
  readonly vulnerabilities?: Readonly<Record<string, { readonly severity: string; readonly range: string }>>;
  readonly message?: string;
  readonly error?: { readonly summary?: string };
}

/** An advisory of another severity is only printed, for a decision at the next release. */
const REFUSED = ["high", "critical"];

test("no shipped package has a grave advisory", async (context) => {
  const { out, told } = await outcomeOf("npm", ["audit", "--omit=dev", "--json"]);
  const audit = (out.trimStart().startsWith("{") ? JSON.parse(out) : {}) as Audit;
  if (audit.vulnerabilities === undefined) {
    const reason = audit.message ?? audit.error?.summary ?? told.trim().split("\n").at(-1) ?? "no answer";
    console.log(`advisories: skipped, the registry serves none (${reason})`);
    return context.skip(`the registry serves no advisories: ${reason}`);
  }
  const found = Object.entries(audit.vulnerabilities).map(([name, { severity, range }]) => ({
    severity,
    text: `${name} ${range}: ${severity}`,
  }));
  for (const { text } of found) console.log(`advisory: ${text}`);
  expect(found.filter(({ severity }) => REFUSED.includes(severity)).map(({ text }) => text)).toEqual([]);
});
