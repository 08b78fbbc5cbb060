/** Words for the answer of a probe, which the CLI and the web UI share. */
import type { ProbeBody, ProbeDifferenceBody } from "../contract/deployments.ts";

/** The outcome of a probe, as a sentence without a period. */
export function probeSentence({ outcome, difference_count: count, http_status: status }: ProbeBody): string {
  switch (outcome) {
    case "same":
      return "it answers, and announces what is registered";
    case "differs":
      return `it answers, and announces something else than is registered: ${count} ${count === 1 ? "difference" : "differences"}`;
    case "refused":
      return `it answers with status ${status}, and announces nothing that can be registered`;
    case "unanswered":
      return "it does not answer";
  }
}

/** The subject of a difference: the deployment, a service, or a handler with its service. */
export function differencePlace({ service, handler }: ProbeDifferenceBody): string {
  if (service === undefined) return "deployment";
  return handler === undefined ? service : `${service}/${handler}`;
}

/** The two sides of a difference. A side without a value says so. */
export function differenceSides({ member, registered, found }: ProbeDifferenceBody): readonly [string, string] {
  const isWhole = member === "service" || member === "handler";
  return [registered ?? (isWhole ? "not registered" : "none"), found ?? (isWhole ? "not announced" : "none")];
}
