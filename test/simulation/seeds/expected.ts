/** The model: the possible results of a program, computed from the program alone. */
import {
  type Branch,
  failedText,
  INTERRUPTED,
  KEPT,
  type Keyed,
  type Program,
  REFUSED,
  REJECTED,
  resolverOf,
  SLEPT,
  type Step,
  tellerOf,
  WOKEN,
} from "./program.ts";

/** The results that a cancel or kill may leave: its failure, or the answer that there is no result. */
const DISTURBED = [INTERRUPTED, 404, 410].map(failedText);

/** The names of programs that clients or handlers cancel or kill, and of all their children. */
export type Disturbed = ReadonlySet<string> & {
  /** True if nothing ran for longer than a result is kept: a handler may then attach to an invocation whose result is over. */
  readonly outlastsResults?: boolean;
  /** True if nothing ran, or a program was paused, for longer than the sleep of one that is to be cancelled: it may end before the cancel. */
  readonly outlastsSleeps?: boolean;
};

/** @returns the names of a program and of all its children */
export function namesIn(program: Program): readonly string[] {
  return [program.name, ...childrenOf(program).flatMap(namesIn)];
}

export function childrenOf(program: Program): readonly Program[] {
  return program.steps.flatMap((step) => {
    if (step.do === "promise") return [tellerOf(program, step.name)];
    if (step.do === "await") return step.by === "child" ? [resolverOf(program, step.name)] : [];
    if (step.do === "all" || step.do === "race") return step.branches.flatMap((one) => ("of" in one ? [one.of] : []));
    return "of" in step ? [step.of] : [];
  });
}

/** @returns the programs that the steps of a program, or of its children, cancel */
export function cancelledIn(program: Program): readonly Program[] {
  const own = program.steps.flatMap((step) => (step.do === "cancel" ? [step.of] : []));
  return [...own, ...childrenOf(program).flatMap(cancelledIn)];
}

/** @param text a result as JSON, or `failed <code>`. @returns whether the text is a possible result of the program */
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
    case "hear":
      return JSON.stringify(value) === JSON.stringify(Array.from({ length: step.count }, (_, at) => at));
    case "promise":
      return value === WOKEN;
    case "complete":
      return value === SLEPT;
    case "remember":
      return value === KEPT;
    case "attach":
    case "attach-by":
      if (disturbed.outlastsResults === true && value === failedText(404)) return true;
      return endsWith(step.of, value, disturbed);
    case "signals":
      return endsWith(step.of, value, disturbed);
    case "cancel":
      return (isFailure(value) || disturbed.outlastsSleeps === true) && endsWith(step.of, value, disturbed);
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
