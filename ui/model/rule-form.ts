/** The form that makes or changes a rule of flow control, and the requests that it makes. */
import type { RuleBody, WantedRuleBody } from "../../shared/api/contract/limits.ts";

export interface RuleForm {
  readonly pattern: string;
  /** Numbers as the reader writes them; an empty text is no limit. */
  readonly concurrency: string;
  readonly rate: string;
  readonly burst: string;
  readonly description: string;
  readonly isEnabled: boolean;
}

export const NEW_RULE: RuleForm = {
  pattern: "",
  concurrency: "",
  rate: "",
  burst: "",
  description: "",
  isEnabled: true,
};

export function formOf({ pattern, limits, description, disabled }: RuleBody): RuleForm {
  const { concurrency, rate, burst } = limits;
  return {
    pattern,
    concurrency: concurrency === undefined ? "" : String(concurrency),
    rate: rate ?? "",
    burst: burst === undefined ? "" : String(burst),
    description: description ?? "",
    isEnabled: !disabled,
  };
}

/** The server checks pattern and rate; the form only refuses to send an incomplete request, and what is no number. */
export function missingIn({ pattern, concurrency, rate, burst }: RuleForm): string | undefined {
  if (pattern.trim() === "") return "Write a pattern.";
  if (!isCount(concurrency)) return "Concurrency is a whole number from 1 on.";
  if (!isCount(burst)) return "The burst is a whole number from 1 on.";
  return burst.trim() !== "" && rate.trim() === "" ? "A burst needs a rate." : undefined;
}

/** The parts that a trial lacks, in addition to those that `missingIn` names. */
export function missingForTrial({ concurrency, rate }: RuleForm): string | undefined {
  return concurrency.trim() === "" && rate.trim() === "" ? "A trial needs a limit." : undefined;
}

function isCount(written: string): boolean {
  return written.trim() === "" || /^0*[1-9]\d{0,8}$/.test(written.trim());
}

export function limitsOf({ concurrency, rate, burst }: RuleForm): NonNullable<WantedRuleBody["limits"]> {
  return {
    ...(concurrency.trim() !== "" && { concurrency: Number(concurrency) }),
    ...(rate.trim() !== "" && { rate: rate.trim() }),
    ...(burst.trim() !== "" && { burst: Number(burst) }),
  };
}

export function wantedRule(form: RuleForm): WantedRuleBody {
  const description = form.description.trim();
  return {
    pattern: form.pattern.trim(),
    limits: limitsOf(form),
    ...(description !== "" && { description }),
    disabled: !form.isEnabled,
  };
}
