/** The rules of flow control, and changes of them. */
import type {
  ListedRuleBody,
  RuleBody,
  RulesBody,
  RuleTrialRequest,
  RuleTrialsBody,
  WantedRuleBody,
} from "../../shared/api/contract/limits.ts";
import { ask } from "./api.ts";
import { usePolled, type Polled } from "./polled.ts";

/** Ordered by pattern, so that a row stays where it is. */
export function useRules(): Polled<readonly ListedRuleBody[]> {
  return usePolled("rules", async (signal) => (await ask<RulesBody>("limits/rules?use=true", { signal })).rules);
}

/**
 * Makes a rule, or changes one.
 * @param stored the rule as the reader saw it; undefined for a new one
 * @throws ApiProblem 409 if the rule has changed since, or exists already
 */
export async function saveRule(stored: RuleBody | undefined, wanted: WantedRuleBody): Promise<RuleBody> {
  const precondition = stored === undefined ? { type: "does_not_exist" } : { type: "matches", version: stored.version };
  const body = [{ ...wanted, precondition }];
  const [saved] = await ask<readonly RuleBody[]>("limits/rules", { method: "PUT", body });
  return saved!;
}

/** @throws ApiProblem 409 if the rule has changed since the reader saw it */
export async function deleteRule({ pattern, version }: RuleBody): Promise<void> {
  await ask("limits/rules/bulk-delete", { method: "POST", body: [{ pattern, expected_version: version }] });
}

/** @throws ApiProblem */
export async function tryRule(body: RuleTrialRequest): Promise<RuleTrialsBody> {
  return await ask<RuleTrialsBody>("limits/rules/dry-run", { method: "POST", body });
}

/** As many rules as one trial takes. */
const COUNTED_MAX = 100;

/**
 * Counts the invocations of the last hour by the rule that counts them; a disabled rule counts none.
 * @throws ApiProblem
 */
export async function startsOfHour(rules: readonly RuleBody[]): Promise<ReadonlyMap<string, number>> {
  const counted = rules.filter(({ disabled }) => !disabled).slice(0, COUNTED_MAX);
  if (counted.length === 0) return new Map();
  const { trials } = await tryRule({ rules: counted.map(({ pattern, limits }) => ({ pattern, limits })) });
  return new Map(trials.map(({ pattern, matched }) => [pattern, matched]));
}
