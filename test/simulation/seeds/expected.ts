/** The model: what a program must have given, computed from the program alone. */
import {
  type Branch,
  failedText,
  INTERRUPTED,
  type Keyed,
  type Program,
  REFUSED,
  REJECTED,
  resolverOf,
  SLEPT,
  type Step,
  WOKEN,
} from "./program.ts";

/** What cancels and kills leave behind: the failure itself, or nothing to find. */
const DISTURBED = [INTERRUPTED, 404, 410].map(failedText);

/** What a seed's clients and handlers cancel or kill: everything below may have ended by that. */
export type Disturbed = ReadonlySet<string>;

/** The names of a program and of all that it asks for. */
export function namesIn(program: Program): readonly string[] {
  return [program.name, ...childrenOf(program).flatMap(namesIn)];
}

export function childrenOf(program: Program): readonly Program[] {
  return program.steps.flatMap((step) => {
    if (step.do === "await") return step.by === "child" ? [resolverOf(program, step.name)] : [];
    if (step.do === "all" || step.do === "race") return step.branches.flatMap((one) => ("of" in one ? [one.of] : []));
    return "of" in step ? [step.of] : [];
  });
}

/** Programs that are cancelled by a step of another one. */
export function cancelledIn(program: Program): readonly Program[] {
  const own = program.steps.flatMap((step) => (step.do === "cancel" ? [step.of] : []));
  return [...own, ...childrenOf(program).flatMap(cancelledIn)];
}

/** @param text a result as JSON, or `failed <code>`. @returns whether the program may have ended so */
export function mayEnd(program: Program, text: string, disturbed: Disturbed): boolean {
  if (disturbed.has(program.name) && DISTURBED.includes(text)) return true;
  if (program.fails !== undefined) return text === failedText(program.fails);
  if (text.startsWith("failed")) return false;
  const given: unknown = JSON.parse(text);
  return gives(program, program.object === undefined ? given : (given as Partial<Keyed>).given, disturbed);
}

function gives(program: Program, given: unknown, disturbed: Disturbed): boolean {
  if (!Array.isArray(given) || given.length !== program.steps.length) return false;
  return program.steps.every((step, at) => {
    const value: unknown = given[at];
    if (disturbed.has(program.name) && isOneOf(value, DISTURBED)) return true;
    return mayGive(step, value, disturbed);
  });
}

function mayGive(step: Step, value: unknown, disturbed: Disturbed): boolean {
  switch (step.do) {
    case "all": {
      if (Array.isArray(value) && value.length === step.branches.length)
        return step.branches.every((branch, at) => brings(branch, value[at], disturbed));
      return step.branches.some((branch) => isFailure(value) && brings(branch, value, disturbed));
    }
    case "race":
      return step.branches.some((branch) => brings(branch, value, disturbed));
    case "send":
      return typeof value === "string" && value.startsWith("inv_1");
    case "attach":
      return endsWith(step.of, value, disturbed);
    case "cancel":
      return isFailure(value) && endsWith(step.of, value, disturbed);
    case "await":
      return value === (step.refuses ? failedText(REJECTED) : WOKEN);
    default:
      return brings(step, value, disturbed);
  }
}

function brings(branch: Branch, value: unknown, disturbed: Disturbed): boolean {
  switch (branch.do) {
    case "sleep":
      return value === SLEPT;
    case "call":
      return endsWith(branch.of, value, disturbed);
    case "run":
      if (branch.refuses) return value === failedText(REFUSED);
      return typeof value === "string" && value.split("/")[1] === branch.name;
  }
}

function endsWith(program: Program, value: unknown, disturbed: Disturbed): boolean {
  return mayEnd(program, isFailure(value) ? value : JSON.stringify(value), disturbed);
}

function isFailure(value: unknown): value is string {
  return typeof value === "string" && value.startsWith("failed ");
}

function isOneOf(value: unknown, among: readonly string[]): boolean {
  return typeof value === "string" && among.includes(value);
}
