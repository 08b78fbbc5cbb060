/** The options of services and handlers: their words, their meaning, and the values that hold for a handler. */
import type { HandlerBody, RetryPolicyBody, ServiceBody } from "../../shared/api/contract/services.ts";
import { parseDurationMs } from "../../shared/core/model/duration.ts";

export type DurationOption =
  | "idempotency_retention"
  | "workflow_completion_retention"
  | "journal_retention"
  | "inactivity_timeout"
  | "abort_timeout"
  | "start_within"
  | "end_within";

export interface OptionWords {
  readonly option: DurationOption;
  readonly words: string;
  readonly meaning: string;
}

/** In the order in which the pages show them. */
export const OPTIONS: readonly OptionWords[] = [
  {
    option: "idempotency_retention",
    words: "Idempotency retention",
    meaning: "How long after its end a call gives its result to calls with the same idempotency key.",
  },
  {
    option: "workflow_completion_retention",
    words: "Workflow retention",
    meaning:
      "How long the result and the promises of a workflow can be read after its end. Afterwards its id is free again.",
  },
  {
    option: "journal_retention",
    words: "Journal retention",
    meaning: "How long the journal of an invocation can be read after its end.",
  },
  {
    option: "inactivity_timeout",
    words: "Inactivity timeout",
    meaning:
      "After this time without progress, the server asks an attempt to suspend. It continues when there is a result.",
  },
  {
    option: "abort_timeout",
    words: "Abort timeout",
    meaning:
      "How long an attempt may still take after the server asked it to suspend. Then it is cut off and made again.",
  },
  {
    option: "start_within",
    words: "Start within",
    meaning:
      "An invocation whose first attempt has not begun within this time ends with a failure. 0s sets no deadline; a request may have its own.",
  },
  {
    option: "end_within",
    words: "End within",
    meaning:
      "An invocation that has not ended within this time is cancelled, and killed a little later. 0s sets no deadline; a request may have its own.",
  },
];

/** The value that holds for the handler, and whether it is the handler's own. */
export function effectiveOption(
  service: ServiceBody,
  handler: HandlerBody,
  option: DurationOption,
): { readonly value: string | undefined; readonly isOwn: boolean } {
  const own = handler[option];
  return own === undefined ? { value: service[option], isOwn: false } : { value: own, isOwn: true };
}

/** The retry policy that holds for the handler. If the handler lacks a member, the member of the service holds. */
export function effectivePolicy(service: ServiceBody, handler: HandlerBody): RetryPolicyBody {
  const own = Object.entries(handler.retry_policy).filter(([, value]) => value !== undefined && value !== null);
  return { ...service.retry_policy, ...Object.fromEntries(own) };
}

/** `500ms, × 2 up to 1m; 70 attempts, then paused`. */
export function policyText(policy: RetryPolicyBody): string {
  const { initial_interval: first, exponentiation_factor: factor, max_interval: most } = policy;
  const growth =
    factor === undefined || factor === 1 ? "" : `, × ${factor}${most === undefined ? "" : ` up to ${most}`}`;
  const { max_attempts: attempts, on_max_attempts: then } = policy;
  const end =
    attempts === null
      ? "without an end"
      : `${attempts} ${attempts === 1 ? "attempt" : "attempts"}, then ${then === "Kill" ? "killed" : "paused"}`;
  return `${first ?? "at once"}${growth}; ${end}`;
}

export interface OptionEdits {
  readonly isPublic: boolean;
  readonly durations: Readonly<Partial<Record<DurationOption, string>>>;
}

export function editsOf(service: ServiceBody): OptionEdits {
  const durations = OPTIONS.flatMap(({ option }) => {
    const value = service[option];
    return value === undefined ? [] : [[option, value] as const];
  });
  return { isPublic: service.public, durations: Object.fromEntries(durations) };
}

/** @returns the form that the text should have; undefined if the text is a duration */
export function durationProblem(text: string): string | undefined {
  return parseDurationMs(text.trim()) === undefined ? "a duration such as 30s, 1m 30s, 12h, 7d or PT1H" : undefined;
}

/** The body of the change: the members that differ. Undefined if none does. */
export function changeOf(service: ServiceBody, edits: OptionEdits): Readonly<Record<string, unknown>> | undefined {
  const before = editsOf(service);
  const changed = Object.entries(edits.durations).filter(([option, value]) => {
    const earlier = before.durations[option as DurationOption] ?? "";
    return value.trim() !== earlier && parseDurationMs(value.trim()) !== parseDurationMs(earlier);
  });
  const body = {
    ...(edits.isPublic !== before.isPublic && { public: edits.isPublic }),
    ...Object.fromEntries(changed.map(([option, value]) => [option, value.trim()])),
  };
  return Object.keys(body).length === 0 ? undefined : body;
}
