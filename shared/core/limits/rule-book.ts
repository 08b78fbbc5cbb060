/** Finds the pools in which an invocation needs a place: on each level the most specific pattern that matches counts. */
import { EACH, GLOBAL, parsePattern, type Pattern } from "./pattern.ts";
import type { Limits, Rule } from "./rule.ts";

/** The facts by which patterns choose invocations. */
export interface Subject {
  readonly service: string;
  readonly handler: string;
  readonly scope?: string | undefined;
  /** One or two names, with a slash between. */
  readonly limitKey?: string | undefined;
}

/** A pool whose places and starts a rule limits, for one invocation. */
export interface Pool {
  /** The names of the level, such as `acme/gold`: they do not change if another pattern comes to count for the level. */
  readonly name: string;
  /** Invocations with different keys take turns. */
  readonly turnKey: string;
  readonly rule: Rule;
  readonly limits: Limits;
}

export interface RuleBook {
  /** True if no rule is enabled: no invocation asks for a place. */
  readonly isEmpty: boolean;
  /** All rules, in the order of their patterns. */
  readonly rules: readonly Rule[];
  /** The pools of an invocation, narrow ones first: second limit key, first limit key, scope, handler, service, everything. */
  poolsOf(subject: Subject): readonly Pool[];
  /** The rule that counts for a pool; undefined if none does. */
  ruleOf(pool: string): Rule | undefined;
}

const NO_POOLS: readonly Pool[] = [];

/** The rules of one level, by the names of the pattern. */
type LevelRules = ReadonlyMap<string, Rule>;

export function ruleBook(rules: readonly Rule[]): RuleBook {
  const levels = new Map<string, Map<string, Rule>>();
  for (const rule of rules) {
    const pattern = parsePattern(rule.pattern);
    if (rule.disabled || typeof pattern === "string") continue;
    const level = levelOf(pattern.kind, pattern.names.length);
    const known = levels.get(level) ?? new Map<string, Rule>();
    known.set(pattern.names.join("/"), rule);
    levels.set(level, known);
  }
  const matching = (kind: Pattern["kind"], names: readonly string[]): Rule | undefined => {
    const known = levels.get(levelOf(kind, names.length));
    return known && mostSpecific(known, names);
  };
  return {
    isEmpty: levels.size === 0,
    rules: [...rules].sort((a, b) => (a.pattern < b.pattern ? -1 : 1)),
    poolsOf: (subject) => (levels.size === 0 ? NO_POOLS : poolsOf(subject, matching)),
    ruleOf(pool) {
      const pattern = parsePattern(pool);
      return typeof pattern === "string" ? undefined : matching(pattern.kind, pattern.names);
    },
  };
}

export const NO_RULES: RuleBook = ruleBook([]);

function levelOf(kind: Pattern["kind"], depth: number): string {
  return `${kind}${depth}`;
}

function poolsOf(
  { service, handler, scope, limitKey }: Subject,
  matching: (kind: Pattern["kind"], names: readonly string[]) => Rule | undefined,
): readonly Pool[] {
  const pools: Pool[] = [];
  const add = (kind: Pattern["kind"], name: string, names: readonly string[], turnKey: string): void => {
    const rule = matching(kind, names);
    if (rule !== undefined) pools.push({ name, turnKey, rule, limits: rule.limits });
  };
  if (scope !== undefined) {
    const keys = limitKey === undefined ? [] : limitKey.split("/");
    const names = [scope, ...keys];
    for (let depth = names.length; depth > 0; depth--) {
      const level = names.slice(0, depth);
      add("scope", level.join("/"), level, names[depth] ?? "");
    }
  }
  const turnKey = scope ?? "";
  add("handler", `handler:${service}/${handler}`, [service, handler], turnKey);
  add("service", `service:${service}`, [service], turnKey);
  add("global", GLOBAL, [], turnKey);
  return pools;
}

/** A name before `*`, and an earlier name before a later one, as the reference server ranks patterns. */
function mostSpecific(rules: LevelRules, names: readonly string[]): Rule | undefined {
  for (const candidate of candidates(names)) {
    const rule = rules.get(candidate);
    if (rule !== undefined) return rule;
  }
  return undefined;
}

/** The patterns that match the names, the most specific first. At most three names make at most eight patterns. */
function candidates(names: readonly string[]): readonly string[] {
  const [first, ...rest] = names;
  if (first === undefined) return [""];
  if (rest.length === 0) return [first, EACH];
  const tails = candidates(rest);
  return [...tails.map((tail) => `${first}/${tail}`), ...tails.map((tail) => `${EACH}/${tail}`)];
}
