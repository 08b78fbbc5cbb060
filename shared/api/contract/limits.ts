/** The rules of flow control: their requests and answers. */
import * as z from "zod";
import { canonicalPattern, parsePattern } from "../../core/limits/pattern.ts";
import { CONCURRENCY_MAX, DESCRIPTION_MAX, parseRate, RATE_COUNT_MAX } from "../../core/limits/rule.ts";
import { parseDurationMs } from "../../core/model/duration.ts";
import { DAY_MS, HOUR_MS } from "../../core/model/time-units.ts";
import { type Answer, maybeText, optional, queryFlag, type RequestBody, text, whole } from "./members.ts";

/** A longer text is no pattern and no rate; blanks around names are allowed. */
const TEXT_MAX = 700;

const pattern = z
  .string()
  .max(TEXT_MAX)
  .transform((given, context) => {
    const canonical = canonicalPattern(given);
    const parsed = parsePattern(canonical);
    if (typeof parsed !== "string") return canonical;
    context.addIssue({ code: "custom", message: parsed });
    return z.NEVER;
  })
  .describe(
    "`acme`, `*`, `acme/*`, `acme/gold/eu`: a scope and up to two limit keys; `service:Mail`, `handler:Mail/send`, or `global:all`.",
  );

const limits = z
  .object({
    concurrency: optional(z.int().min(1).max(CONCURRENCY_MAX)).describe("How many invocations run at a time."),
    rate: optional(z.string().max(TEXT_MAX)).describe("How many invocations begin in a time, such as `100/1m`."),
    burst: optional(z.int().min(1).max(RATE_COUNT_MAX)).describe(
      "How many of the rate may begin at once; by default as many as begin in a second.",
    ),
  })
  .transform(({ concurrency, rate: written, burst }, context) => {
    if (written === undefined && burst !== undefined) {
      const message = 'A burst needs a rate, for example { "rate": "100/1m", "burst": 10 }.';
      context.addIssue({ code: "custom", path: ["burst"], message });
      return z.NEVER;
    }
    const rate = written === undefined ? undefined : parseRate(written, burst);
    if (typeof rate === "string") {
      context.addIssue({ code: "custom", path: ["rate"], message: rate });
      return z.NEVER;
    }
    return { ...(concurrency !== undefined && { concurrency }), ...(rate !== undefined && { rate }) };
  });

const precondition = z.discriminatedUnion("type", [
  z.object({ type: z.literal("none") }),
  z.object({ type: z.literal("does_not_exist") }),
  z.object({ type: z.literal("matches"), version: z.int().min(0).max(0xffff_ffff) }),
]);

const wantedRule = z.object({
  pattern,
  limits: limits.exactOptional(),
  description: optional(z.string().max(DESCRIPTION_MAX)),
  disabled: z.boolean().exactOptional().describe("A disabled rule limits nothing."),
  precondition: precondition.exactOptional().describe("What must be true of the stored rule."),
});

export const WantedRules = z
  .array(wantedRule)
  .describe("The rules of a request change together, or none does.")
  .meta({ id: "WantedRules" });
export type WantedRuleBody = RequestBody<typeof wantedRule>;

export const UnwantedRules = z
  .array(z.object({ pattern, expected_version: optional(z.int().min(0).max(0xffff_ffff)) }))
  .describe("The rules of a request are deleted together, or none is.")
  .meta({ id: "UnwantedRules" });

/** The rules of one trial share its reads. */
export const TRIED_MAX = 100;

const over = z.string().transform((given, context) => {
  const ms = parseDurationMs(given);
  if (ms !== undefined && ms > 0 && ms <= DAY_MS) return ms;
  const message = `'${given.slice(0, 40)}' is no duration from 1ms to 24h, for example '1h'`;
  context.addIssue({ code: "custom", message });
  return z.NEVER;
});

export const RuleTrialRequest = z
  .object({
    rules: z
      .array(z.object({ pattern, limits }))
      .min(1)
      .refine((rules) => new Set(rules.map((rule) => rule.pattern)).size === rules.length, {
        message: "each rule should have a pattern of its own",
      })
      .describe(`At most ${TRIED_MAX} rules; each is tried by itself.`),
    over: optional(over)
      .transform((ms) => ms ?? HOUR_MS)
      .describe("How far back the trial goes: a duration up to `24h`, by default `1h`."),
  })
  .meta({ id: "RuleTrialRequest" });
export type RuleTrialRequest = RequestBody<typeof RuleTrialRequest>;

const trial = z.object({
  pattern: text,
  matched: whole.describe("The invocations that the rule counts."),
  held_back: whole.describe("The invocations among them that would have started later."),
  longest_wait_ms: whole,
});
export type RuleTrialBody = Answer<typeof trial>;

export const RuleTrials = z
  .object({
    trials: z.array(trial).describe("In the order of the rules."),
    considered: whole.describe("The invocations that were accepted in the time, as far as they were read."),
    read: whole.describe("The invocations that were loaded."),
    since_millis_since_epoch: whole.describe("The moment from which on all invocations were considered."),
    complete: z
      .boolean()
      .describe("False if there were more invocations than a trial reads, or one could not be read."),
  })
  .meta({ id: "RuleTrials" });
export type RuleTrialsBody = Answer<typeof RuleTrials>;

const limitsBody = z.object({ concurrency: whole.exactOptional(), rate: maybeText, burst: whole.exactOptional() });

const ruleMembers = {
  pattern: text,
  limits: limitsBody,
  description: maybeText,
  disabled: z.boolean(),
  version: whole,
  last_modified_millis_since_epoch: whole,
};

export const RuleBody = z.object(ruleMembers).meta({ id: "Rule" });
export type RuleBody = Answer<typeof RuleBody>;
export const ChangedRules = z.array(RuleBody).meta({ id: "ChangedRules" });
export const DeletedRules = z.array(text).describe("The patterns of the deleted rules.").meta({ id: "DeletedRules" });

/** The use of all pools of a rule. A pool that is never used has no items. */
const use = z.object({
  pools: whole.describe("The pools in which an invocation holds or waits for a place."),
  taken: whole.describe("The places that are taken."),
  waiting: whole.describe("The invocations that wait for a place or for a start."),
  oldest_waiting_since_millis_since_epoch: whole.exactOptional(),
  at_least: z
    .literal(true)
    .exactOptional()
    .describe("Present if there are more pools, or more waiting ones, than are read."),
});

export const ListRulesQuery = z.object({
  use: queryFlag("Shows the use of each rule too, for some reads for each pool."),
});

export const ListedRule = z.object({ ...ruleMembers, use: use.exactOptional() }).meta({ id: "ListedRule" });
export type ListedRuleBody = Answer<typeof ListedRule>;
export const Rules = z.object({ rules: z.array(ListedRule) }).meta({ id: "Rules" });
export type RulesBody = Answer<typeof Rules>;
