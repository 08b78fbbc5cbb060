/** Rules of flow control as text. */
import type { ListedRuleBody, RuleBody } from "../../../shared/api/contract/limits.ts";
import { limitsText } from "../../../shared/api/wire/rule-words.ts";
import { ageText, momentText } from "./moment.ts";
import { pairsText, tableText } from "./table.ts";
import type { Colours } from "./terminal.ts";
import { foreignLine } from "./visible-text.ts";

/** `started_last_hour`: the invocations of the last hour that the rule counts, if they were counted. */
type Row = ListedRuleBody & { readonly started_last_hour?: number };

/** @param nowMs the present moment, for the age of the oldest wait */
export function rulesText(colours: Colours, rules: readonly Row[], nowMs: number): string {
  const isCounted = rules.some((rule) => rule.started_last_hour !== undefined);
  const hour = isCounted ? ["LAST HOUR"] : [];
  const heads = ["PATTERN", "CONCURRENCY", "RATE", "BURST", "IN USE", "WAITING", ...hour, "ENABLED", "DESCRIPTION"];
  const rows = rules.map((rule) => {
    const { pattern, limits, use, disabled, description, started_last_hour: started } = rule;
    const { concurrency, rate, burst } = limits;
    return [
      pattern,
      numberText(concurrency),
      rate ?? "-",
      numberText(burst),
      useText(use),
      waitingText(use, nowMs),
      ...(isCounted ? [numberText(started)] : []),
      disabled ? "no" : "yes",
      foreignLine(description ?? ""),
    ];
  });
  return tableText(colours, heads, rows);
}

function numberText(value: number | undefined): string {
  return value === undefined ? "-" : String(value);
}

function useText(use: ListedRuleBody["use"]): string {
  if (use === undefined) return "-";
  return use.pools > 1 ? `${use.taken} in ${use.pools} pools` : String(use.taken);
}

function waitingText(use: ListedRuleBody["use"], nowMs: number): string {
  if (use === undefined) return "-";
  const sinceMs = use.oldest_waiting_since_millis_since_epoch;
  return sinceMs === undefined ? String(use.waiting) : `${use.waiting}, oldest ${ageText(nowMs - sinceMs)}`;
}

export function ruleText(colours: Colours, rule: RuleBody): string {
  return pairsText(colours, [
    ["Rule", rule.pattern],
    ["Limits", limitsText(rule.limits)],
    ["Description", rule.description === undefined ? undefined : foreignLine(rule.description)],
    ["Enabled", rule.disabled ? "no" : "yes"],
    ["Changed", momentText(new Date(rule.last_modified_millis_since_epoch).toISOString())],
  ]);
}
