/** The table of docs/flow-control.md with the headers by which a request sets its options. */
import { REQUEST_OPTIONS } from "../../shared/core/model/request-options.ts";

export function requestOptionsSection(): string {
  const rows = Object.values(REQUEST_OPTIONS).map(
    ({ header, values, example, byDefault, meaning }) =>
      `| \`${header}\` | ${values.replaceAll("'", "`")} | \`${example}\` | ${byDefault} | ${meaning} |`,
  );
  return ["| header | value | example | without it | meaning |", "|---|---|---|---|---|", ...rows].join("\n");
}
