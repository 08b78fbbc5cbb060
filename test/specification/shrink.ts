/** Makes a history that shows a disagreement smaller: fewer operations, shorter programs, shorter waits. */
import type { Operation, Program, Step } from "./model/words.ts";

/** True if the history still shows the disagreement. */
export type Shows = (operations: readonly Operation[]) => Promise<boolean>;

const MINUTE_MS = 60_000;

/** @param triesMax how many smaller histories are tried at most */
export async function shrink(
  operations: readonly Operation[],
  shows: Shows,
  triesMax = 400,
): Promise<readonly Operation[]> {
  let smallest = operations;
  let tries = 0;
  const isSmaller = async (smaller: readonly Operation[]): Promise<boolean> => {
    if (tries++ >= triesMax || !(await shows(smaller))) return false;
    smallest = smaller;
    return true;
  };
  for (let before = ""; before !== JSON.stringify(smallest) && tries < triesMax;) {
    before = JSON.stringify(smallest);
    for (let size = smallest.length >> 1; size > 0; size >>= 1)
      for (let from = smallest.length - size; from >= 0; from -= size)
        await isSmaller([...smallest.slice(0, from), ...smallest.slice(from + size)]);
    for (let at = 0; at < smallest.length; at++) await simplify(() => smallest, at, isSmaller);
  }
  return smallest;
}

/** Replaces one operation by simpler ones for as long as the disagreement shows. */
async function simplify(
  now: () => readonly Operation[],
  at: number,
  isSmaller: (smaller: readonly Operation[]) => Promise<boolean>,
): Promise<void> {
  for (let found = true; found;) {
    found = false;
    for (const simpler of simplerThan(now()[at]!)) {
      if (!(await isSmaller(now().with(at, simpler)))) continue;
      found = true;
      break;
    }
  }
}

function* simplerThan(operation: Operation): Generator<Operation> {
  if ((operation.do === "resume" || operation.do === "restart") && operation.on !== undefined) {
    const { on: _, ...plain } = operation;
    yield plain;
  }
  if (operation.do === "restart" && operation.keeps !== undefined) {
    const { keeps: _, ...plain } = operation;
    yield plain;
  }
  if (operation.do === "wait" && operation.ms > MINUTE_MS) yield { ...operation, ms: shorter(operation.ms) };
  if (operation.do !== "call" && operation.do !== "send") return;
  const { delayMs, key, ...plain } = operation;
  if (delayMs !== undefined) yield { ...plain, ...(key !== undefined && { key }) };
  if (key !== undefined) yield { ...plain, ...(delayMs !== undefined && { delayMs }) };
  for (const program of smallerThan(operation.program)) yield { ...operation, program };
}

function shorter(ms: number): number {
  return Math.max(MINUTE_MS, Math.floor(ms / 2));
}

function* smallerThan({ steps, catches, fails }: Program): Generator<Program> {
  const ending = fails === undefined ? {} : { fails };
  for (let at = steps.length - 1; at >= 0; at--)
    yield { steps: steps.filter((_, other) => other !== at), catches, ...ending };
  if (fails !== undefined) yield { steps, catches };
  if (catches) yield { steps, catches: false, ...ending };
  for (const [at, step] of steps.entries())
    for (const smaller of smallerStep(step)) yield { steps: steps.with(at, smaller), catches, ...ending };
}

function* smallerStep(step: Step): Generator<Step> {
  if (step.do === "sleep" && step.ms > MINUTE_MS) yield { ...step, ms: shorter(step.ms) };
  if (step.do === "stumble" && step.times > 1) yield { ...step, times: 1 };
  if (step.do !== "call" && step.do !== "send") return;
  if (step.do === "send" && step.delayMs > 0) yield { ...step, delayMs: 0 };
  for (const program of smallerThan(step.program)) yield { ...step, program };
}
