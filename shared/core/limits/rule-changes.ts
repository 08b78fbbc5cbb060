/** Decides about changes of rules: all that a request asks for, or none. */
import { canonicalPattern, parsePattern } from "./pattern.ts";
import { CONCURRENCY_MAX, DESCRIPTION_MAX, type Limits, type Rule, RULES_MAX } from "./rule.ts";

/** The state that the stored rule must have before the change. */
export type Precondition =
  | { readonly type: "none" }
  | { readonly type: "does_not_exist" }
  | { readonly type: "matches"; readonly version: number };

export interface WantedRule {
  readonly pattern: string;
  readonly limits: Limits;
  readonly description?: string | undefined;
  readonly disabled?: boolean | undefined;
  readonly precondition?: Precondition | undefined;
}

export interface UnwantedRule {
  readonly pattern: string;
  readonly expectedVersion?: number | undefined;
}

/** `invalid`: the request could never be done. `conflict`: a precondition is not met. `too-many`: the rules exceed their number. */
export interface RuleRefusal {
  readonly kind: "refused";
  readonly why: "invalid" | "conflict" | "too-many";
  readonly message: string;
}

export type RuleChange = { readonly kind: "changed"; readonly rules: readonly Rule[] } | RuleRefusal;

/**
 * @param changes how often the rules have changed so far: the version of a new rule is the next number, so that a rule which is
 *   deleted and made again has another version
 * @returns the rules as they are afterwards, in the order of the request; a pattern that comes twice is applied twice
 */
export function putRules(
  existing: readonly Rule[],
  wanted: readonly WantedRule[],
  { nowMs, changes }: { readonly nowMs: number; readonly changes: number },
): RuleChange {
  const rules = new Map(existing.map((rule) => [rule.pattern, rule]));
  const named: string[] = [];
  for (const one of wanted) {
    const pattern = canonicalPattern(one.pattern);
    const stored = rules.get(pattern);
    const refusal = refusalOf(pattern, one, stored);
    if (refusal !== undefined) return refusal;
    named.push(pattern);
    rules.set(pattern, ruleFrom(pattern, one, stored, { nowMs, changes }));
  }
  if (rules.size > RULES_MAX && rules.size > existing.length)
    return refused("too-many", `rule book is full (${RULES_MAX} rules)`);
  return { kind: "changed", rules: named.map((pattern) => rules.get(pattern)!) };
}

function refusalOf(pattern: string, one: WantedRule, stored: Rule | undefined): RuleRefusal | undefined {
  const parsed = parsePattern(pattern);
  if (typeof parsed === "string") return refused("invalid", parsed);
  const { concurrency } = one.limits;
  if (concurrency !== undefined && (!Number.isInteger(concurrency) || concurrency < 1 || concurrency > CONCURRENCY_MAX))
    return refused(
      "invalid",
      `The concurrency of the rule '${pattern}' is ${concurrency}. It should be a whole number from 1 to ${CONCURRENCY_MAX}, such as 5.`,
    );
  const { length } = one.description ?? "";
  if (length > DESCRIPTION_MAX)
    return refused(
      "invalid",
      `The description of the rule '${pattern}' has ${length} characters. It should have at most ${DESCRIPTION_MAX}.`,
    );
  return unmet(pattern, one, stored);
}

function unmet(
  pattern: string,
  { precondition = { type: "none" } }: WantedRule,
  stored: Rule | undefined,
): RuleRefusal | undefined {
  switch (precondition.type) {
    case "none":
      return undefined;
    case "does_not_exist":
      return (
        stored &&
        refused(
          "conflict",
          `The rule '${pattern}' exists, at version ${stored.version}, and should not: read it, or leave the precondition out.`,
        )
      );
    case "matches":
      return matchesVersion(pattern, precondition.version, stored);
  }
}

function matchesVersion(pattern: string, version: number, stored: Rule | undefined): RuleRefusal | undefined {
  if (stored?.version === version) return undefined;
  const is = stored === undefined ? "does not exist" : `has the version ${stored.version}`;
  return refused(
    "conflict",
    `The rule '${pattern}' ${is}, and should have the version ${version}: read it again, and repeat the change.`,
  );
}

/** A change of the description alone is no new version, as at the reference server. */
function ruleFrom(
  pattern: string,
  { limits, description, disabled = false }: WantedRule,
  stored: Rule | undefined,
  { nowMs, changes }: { readonly nowMs: number; readonly changes: number },
): Rule {
  const isSame = stored !== undefined && stored.disabled === disabled && sameLimits(stored.limits, limits);
  return {
    pattern,
    limits,
    ...(description !== undefined && { description }),
    disabled,
    version: isSame ? stored.version : stored === undefined ? changes + 1 : stored.version + 1,
    modifiedAtMs: isSame ? stored.modifiedAtMs : nowMs,
  };
}

function sameLimits(one: Limits, other: Limits): boolean {
  const rates = [one.rate, other.rate].map((rate) => rate && [rate.count, rate.perMs, rate.burst].join("/"));
  return one.concurrency === other.concurrency && rates[0] === rates[1];
}

/** @returns the rules to delete; one that does not exist is left out, unless the request expects a version */
export function deleteRules(existing: readonly Rule[], unwanted: readonly UnwantedRule[]): RuleChange {
  const known = new Map(existing.map((rule) => [rule.pattern, rule]));
  const rules = new Map<string, Rule>();
  for (const { pattern: text, expectedVersion } of unwanted) {
    const pattern = canonicalPattern(text);
    const stored = known.get(pattern);
    const refusal = expectedVersion === undefined ? undefined : matchesVersion(pattern, expectedVersion, stored);
    if (refusal !== undefined) return refusal;
    if (stored !== undefined) rules.set(pattern, stored);
  }
  return { kind: "changed", rules: [...rules.values()] };
}

function refused(why: RuleRefusal["why"], message: string): RuleRefusal {
  return { kind: "refused", why, message };
}
