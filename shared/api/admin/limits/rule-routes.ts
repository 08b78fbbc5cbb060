/** The routes of the rules of flow control. A change of several rules is done in whole or not at all. */
import type { RuleRefusal } from "../../../core/limits/rule-changes.ts";
import type { Rule } from "../../../core/limits/rule.ts";
import { RULES_CHANGED_MAX } from "../../../engine/register/registry-items.ts";
import { applyRules, listRules, removeRules } from "../../../engine/register/rules.ts";
import { tryRulesOnPast } from "../../../engine/query/rule-trial.ts";
import { jsonResponse, type HttpResponse } from "../../http/message.ts";
import { HttpProblem } from "../../http/problem.ts";
import {
  ChangedRules,
  DeletedRules,
  ListRulesQuery,
  Rules,
  type RulesBody,
  RuleTrialRequest,
  RuleTrials,
  TRIED_MAX,
  UnwantedRules,
  WantedRules,
} from "../../contract/limits.ts";
import { type AdminRequest, PlainRefusal, route } from "../requests/admin-request.ts";
import { present } from "../requests/json-members.ts";
import { readJsonBody, readQuery } from "../requests/json-body.ts";
import { ruleBody } from "./rule-body.ts";
import { usesOf } from "./rule-use.ts";

export const RULE_ROUTES = [
  route("GET", "/limits/rules", showRules, {
    summary: "List the rules of flow control, and what is used of them",
    query: ListRulesQuery,
    answers: { 200: Rules },
  }),
  route("PUT", "/limits/rules", putRulesRoute, {
    summary: "Make or replace rules of flow control, all of them or none",
    body: [WantedRules],
    answers: { 200: ChangedRules },
  }),
  route("POST", "/limits/rules/bulk-delete", deleteRulesRoute, {
    summary: "Delete rules of flow control, all of them or none",
    body: [UnwantedRules],
    answers: { 200: DeletedRules },
  }),
  route("POST", "/limits/rules/dry-run", tryRulesRoute, {
    summary: "Try rules of flow control on past invocations: how many of them would have waited",
    body: [RuleTrialRequest],
    answers: { 200: RuleTrials },
  }),
];

/** The statuses of the reference server. */
const STATUSES: Readonly<Record<RuleRefusal["why"], number>> = { invalid: 422, conflict: 409, "too-many": 422 };

async function showRules({ engine, request }: AdminRequest): Promise<HttpResponse> {
  const { use: withUse } = readQuery(request, ListRulesQuery);
  const rules = await listRules(engine);
  const uses = withUse && rules.length > 0 ? await usesOf(engine) : undefined;
  const body: RulesBody = {
    rules: rules.map((rule) => ({ ...ruleBody(rule), ...present({ use: uses?.get(rule.pattern) }) })),
  };
  return jsonResponse(200, body);
}

async function putRulesRoute({ engine, request }: AdminRequest): Promise<HttpResponse> {
  const wanted = readJsonBody(request, WantedRules, { check: isShort });
  const change = await applyRules(
    engine,
    wanted.map(({ limits = {}, ...one }) => ({ ...one, limits })),
  );
  if (change.kind === "refused") throw refused(change);
  record({ engine, request }, "rule.changed", change.rules);
  return jsonResponse(200, change.rules.map(ruleBody));
}

async function deleteRulesRoute({ engine, request }: AdminRequest): Promise<HttpResponse> {
  const unwanted = readJsonBody(request, UnwantedRules, { check: isShort });
  const change = await removeRules(
    engine,
    unwanted.map(({ pattern, expected_version: expectedVersion }) => ({ pattern, expectedVersion })),
  );
  if (change.kind === "refused") throw refused(change);
  record({ engine, request }, "rule.deleted", change.rules);
  return jsonResponse(
    200,
    change.rules.map(({ pattern }) => pattern),
  );
}

async function tryRulesRoute({ engine, request }: AdminRequest): Promise<HttpResponse> {
  const { rules, over: overMs } = readJsonBody(request, RuleTrialRequest, { check: triesFew });
  const { trials, considered, read, sinceMs, complete } = await tryRulesOnPast(engine, rules, overMs);
  return jsonResponse(200, {
    trials: trials.map(({ matched, heldBack, longestWaitMs }, at) => ({
      pattern: rules[at]!.pattern,
      matched,
      held_back: heldBack,
      longest_wait_ms: longestWaitMs,
    })),
    considered,
    read,
    since_millis_since_epoch: sinceMs,
    complete,
  });
}

function isShort(parsed: unknown): void {
  if (!Array.isArray(parsed) || parsed.length <= RULES_CHANGED_MAX) return;
  throw new PlainRefusal(
    422,
    `The request names ${parsed.length} rules. One request should name at most ${RULES_CHANGED_MAX}, because all change or none: send several.`,
  );
}

function triesFew(parsed: unknown): void {
  const rules = typeof parsed === "object" && parsed !== null && "rules" in parsed ? parsed.rules : undefined;
  if (!Array.isArray(rules) || rules.length <= TRIED_MAX) return;
  throw new PlainRefusal(422, `The request tries ${rules.length} rules. One request should try at most ${TRIED_MAX}.`);
}

function refused({ why, message }: RuleRefusal): HttpProblem {
  return new HttpProblem(STATUSES[why], message);
}

/** One line for each rule: the audit log names the request, whose body may be longer than its line. */
function record(
  { engine, request }: Pick<AdminRequest, "engine" | "request">,
  event: "rule.changed" | "rule.deleted",
  rules: readonly Rule[],
): void {
  for (const rule of rules) {
    const { pattern, limits, disabled, version } = ruleBody(rule);
    const caller = request.caller ?? "not known";
    engine.log.write(event, { pattern, caller, version, disabled, ...limits });
  }
}
