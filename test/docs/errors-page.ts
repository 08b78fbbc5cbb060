/** Writes docs/errors.md from the error table. */
import { existsSync, readFileSync } from "node:fs";
import type { ErrorEntry, Outcome } from "../../shared/core/errors/error-entry.ts";
import { ERROR_CODES, ERRORS, type ErrorCode } from "../../shared/core/errors/error-table.ts";

const OWN_FROM = "RT0900";

const FAMILIES = [
  { isOf: (code: string) => code.startsWith("META"), heading: "Registration, discovery and the meta store", words: "" },
  {
    isOf: (code: string) => code.startsWith("RT") && code < OWN_FROM,
    heading: "Attempts, configuration and the start",
    words: "",
  },
  {
    isOf: (code: string) => code >= OWN_FROM,
    heading: "Codes of Stepwell alone",
    words: `Codes from ${OWN_FROM} on are not codes of the reference server, which counts up from RT0001.\n\n`,
  },
] as const;

const OPENING = `# Errors

Every error of the control plane that has a code: when it arises, where it shows, and what helps. This page is written by \`npm run docs\`
from \`shared/core/errors\`.

## Where an error shows

- **A request is refused.** The admin API answers with the status given here and the body
  \`{"message": "[CODE] …", "restate_code": "CODE"}\`. A refusal without a code has \`null\` in its place.
- **An attempt has failed.** \`GET /invocations/{id}\` on the admin port has the code, the message and the moment in \`last_failure\`, and
  those of earlier attempts in \`events\`, each once while it stays the same. The log has the event \`attempt.failed\` with invocation, target, attempt, code, reason and what follows, and
  \`attempt_failures_total{code="…"}\` counts it. The caller keeps waiting: the attempt is made again as the retry policy says, and after the
  last one the invocation is paused or fails, as \`default-retry-policy.on-max-attempts\` or the handler wants it.
- **The process does not start.** The command ends with exit code 3. Standard error has the code with what is wrong, the cause, what
  helps, and the command that explains the code without a server: \`stepwell explain <CODE>\`.
- **A warning.** It stands in \`info\` of the service or the handler on the admin API, and changes nothing else.

At the ingress, an error has its HTTP status and its message; RT0020, at the beginning of the message, is the only code that callers see there.
`;

export function errorsPage(): string {
  const sections = FAMILIES.map(({ isOf, heading, words }) => {
    const codes = ERROR_CODES.filter(isOf).sort();
    return `## ${heading}\n\n${words}${codes.map(section).join("\n")}`;
  });
  return [OPENING, ...sections].join("\n");
}

function section(code: ErrorCode): string {
  const { title, arises, outcome, remedy }: ErrorEntry = ERRORS[code];
  const rows = [
    `- **When:** ${asText(arises)}`,
    `- **Where:** ${placeOf(code, outcome)}`,
    `- **What helps:** ${asText(remedy)}`,
    ...seen(code),
  ];
  return `### ${code}\n\n${title}.\n\n${rows.join("\n")}\n`;
}

/** The answer with this code, which a test has provoked and recorded. */
function seen(code: ErrorCode): readonly string[] {
  const file = new URL(`../errors/seen/${code}.txt`, import.meta.url);
  return existsSync(file) ? [`- **Seen as:** \`${readFileSync(file, "utf8").trimEnd()}\``] : [];
}

/** Markdown would take angle brackets for tags. */
function asText(words: string): string {
  return words.replaceAll("<", "\\<");
}

function placeOf(code: ErrorCode, outcome: Outcome): string {
  switch (outcome.kind) {
    case "reject":
      if (code === "RT0020") {
        return `The ingress answers with ${outcome.status}, and the message begins with \`[${code}]\`.`;
      }
      return `The request is refused with ${outcome.status} and \`"restate_code": "${code}"\`.${outcome.refusesStart === true ? ` At start: exit code 3 and \`${code}\` on standard error.` : ""}`;
    case "retry":
      return `\`last_failure.error_code\` of the invocation, which is retried.`;
    case "pause":
      return `\`last_failure.error_code\` of the invocation, which is paused.`;
    case "end":
      return `The invocation ends with a failure of the code ${outcome.status}, whose message begins with \`[${code}]\`; the ingress answers with ${outcome.status}.`;
    case "refuse-start":
      return `Exit code 3 and \`${code}\` on standard error.`;
    case "warn":
      return `\`info\` of the service or the handler.`;
  }
}
