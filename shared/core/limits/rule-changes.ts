/** Decides about changes of rules: all that a request asks for, or none. */
import { parsePattern } from "./pattern.ts";
import { CONCURRENCY_MAX, DESCRIPTION_MAX, type Limits, type Rule, RULES_MAX } from "./rule.ts";

/** What must be true of the stored rule before the change. */
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

/** @returns the new rules, in the order of the request */
export function putRules(existing: readonly Rule[], wanted: readonly WantedRule[], nowMs: number): RuleChange {
  const known = new Map(existing.map((rule) => [rule.pattern, rule]));
  const rules: Rule[] = [];
  const named = new Set<string>();
  for (const one of wanted) {
    const stored = known.get(one.pattern);
    const refusal = refusalOf(one, stored, named);
    if (refusal !== undefined) return refusal;
    named.add(one.pattern);
    rules.push(ruleFrom(one, stored, nowMs));
  }
  const count = new Set([...known.keys(), ...named]).size;
  if (count > RULES_MAX)
    return refused(
      "too-many",
      `This would make ${count} rules. An environment should have at most ${RULES_MAX}: delete some first.`,
    );
  return { kind: "changed", rules };
}

function refusalOf(one: WantedRule, stored: Rule | undefined, named: ReadonlySet<string>): RuleRefusal | undefined {
  const pattern = parsePattern(one.pattern);
  if (typeof pattern === "string") return refused("invalid", pattern);
  if (named.has(one.pattern))
    return refused(
      "invalid",
      `The request names the pattern '${one.pattern}' twice. Each pattern should be named once.`,
    );
  const { concurrency, rate } = one.limits;
  if (concurrency === undefined && rate === undefined && one.disabled !== true)
    return refused(
      "invalid",
      `The rule '${one.pattern}' limits nothing. It should have a concurrency, such as 5, or a rate, such as '100/1m'.`,
    );
  if (concurrency !== undefined && (!Number.isInteger(concurrency) || concurrency < 1 || concurrency > CONCURRENCY_MAX))
    return refused(
      "invalid",
      `The concurrency of the rule '${one.pattern}' is ${concurrency}. It should be a whole number from 1 to ${CONCURRENCY_MAX}, such as 5.`,
    );
  const { length } = one.description ?? "";
  if (length > DESCRIPTION_MAX)
    return refused(
      "invalid",
      `The description of the rule '${one.pattern}' has ${length} characters. It should have at most ${DESCRIPTION_MAX}.`,
    );
  return unmet(one, stored);
}

function unmet(
  { pattern, precondition = { type: "none" } }: WantedRule,
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

function ruleFrom(
  { pattern, limits, description, disabled = false }: WantedRule,
  stored: Rule | undefined,
  nowMs: number,
): Rule {
  return {
    pattern,
    limits,
    ...(description !== undefined && { description }),
    disabled,
    version: (stored?.version ?? 0) + 1,
    modifiedAtMs: nowMs,
  };
}

/** @returns the rules to delete; one that does not exist is left out, unless the request expects a version */
export function deleteRules(existing: readonly Rule[], unwanted: readonly UnwantedRule[]): RuleChange {
  const known = new Map(existing.map((rule) => [rule.pattern, rule]));
  const rules = new Map<string, Rule>();
  for (const { pattern, expectedVersion } of unwanted) {
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
