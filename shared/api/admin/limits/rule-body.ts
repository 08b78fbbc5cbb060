/** A rule of flow control as the admin API writes it. */
import { type Limits, type Rule, rateText } from "../../../core/limits/rule.ts";
import type { RuleBody } from "../../contract/limits.ts";

export function ruleBody({ pattern, limits, description, disabled, version, modifiedAtMs }: Rule): RuleBody {
  return {
    pattern,
    limits: limitsBody(limits),
    ...(description !== undefined && { description }),
    disabled,
    version,
    last_modified_millis_since_epoch: modifiedAtMs,
  };
}

function limitsBody({ concurrency, rate }: Limits): RuleBody["limits"] {
  return {
    ...(concurrency !== undefined && { concurrency }),
    ...(rate !== undefined && { rate: rateText(rate), burst: rate.burst }),
  };
}
