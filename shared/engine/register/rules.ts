/** Reads and changes the rules that limit invocations. */
import {
  deleteRules,
  putRules,
  type RuleChange,
  type UnwantedRule,
  type WantedRule,
} from "../../core/limits/rule-changes.ts";
import { canonicalPattern } from "../../core/limits/pattern.ts";
import type { Rule } from "../../core/limits/rule.ts";
import type { Engine } from "../engine.ts";
import { followRules } from "../limits/all-pools.ts";
import { changeInTurn } from "./change-in-turn.ts";
import { changeRules, readRegistry, registryPk, RULES_CHANGED_MAX } from "./registry-items.ts";

/** The rules as the store has them now, in the order of their patterns. */
export async function listRules({ meta, settings }: Pick<Engine, "meta" | "settings">): Promise<readonly Rule[]> {
  const { rules } = await readRegistry(meta, settings.keyPrefix);
  return [...rules].sort((a, b) => (a.pattern < b.pattern ? -1 : 1));
}

/**
 * Makes or replaces rules, all or none.
 * @returns the rules as stored, in the order of the request, or the refusal
 * @throws CodedError META0005 if other changes came first each time
 */
export async function applyRules(engine: Engine, wanted: readonly WantedRule[]): Promise<RuleChange> {
  return await changed(engine, wanted.length, "write", (existing, changes) =>
    putRules(existing, wanted, { nowMs: engine.clock.nowMs(), changes }),
  );
}

/** Deletes rules, all or none. @returns the deleted rules, or the refusal. @throws as `applyRules` */
export async function removeRules(engine: Engine, unwanted: readonly UnwantedRule[]): Promise<RuleChange> {
  const change = await changed(engine, unwanted.length, "delete", (existing) => deleteRules(existing, unwanted));
  if (change.kind === "changed" && change.rules.length === 0) {
    // An operator who got no answer asks again: the process that deleted the rules may have died before it followed them.
    const none = { limits: {}, disabled: false, version: 0, modifiedAtMs: 0 };
    await followRules(
      engine,
      unwanted.map(({ pattern }) => ({ ...none, pattern: canonicalPattern(pattern) })),
    );
  }
  return change;
}

async function changed(
  engine: Engine,
  count: number,
  kind: "write" | "delete",
  decide: (existing: readonly Rule[], changes: number) => RuleChange,
): Promise<RuleChange> {
  if (count > RULES_CHANGED_MAX) {
    const message = `The request names ${count} rules. One request should name at most ${RULES_CHANGED_MAX}, because all change or none: send several.`;
    return { kind: "refused", why: "invalid", message };
  }
  const { meta, settings, registry } = engine;
  const change = await changeInTurn(engine, registryPk(settings.keyPrefix), async () => {
    const { version, rules } = await readRegistry(meta, settings.keyPrefix);
    const decided = decide(rules, version);
    if (!hasChanged(decided)) return decided;
    const named = [...new Map(decided.rules.map((rule) => [rule.pattern, rule])).values()];
    const writes =
      kind === "write" ? { rules: named, patterns: [] } : { rules: [], patterns: named.map(({ pattern }) => pattern) };
    return (await changeRules(meta, settings.keyPrefix, writes, version)) ? decided : undefined;
  });
  if (!hasChanged(change)) return change;
  registry.refresh();
  await followRules(engine, change.rules);
  return change;
}

function hasChanged(change: RuleChange): change is Extract<RuleChange, { readonly kind: "changed" }> {
  return change.kind === "changed" && change.rules.length > 0;
}
