/** What the handlers of the test deployment count and remember, in this process, by invocation. */

const attempts = new Map<string, number>();
const executions = new Map<string, number>();
const remembered = new Map<string, unknown[]>();

/** How often the handler of an invocation was entered. */
export function attemptsOf(invocationId: string): number {
  return attempts.get(invocationId) ?? 0;
}

export function countAttempt(invocationId: string): number {
  const count = attemptsOf(invocationId) + 1;
  attempts.set(invocationId, count);
  return count;
}

/** How often the closures given to `ctx.run` were executed, all of an invocation together. */
export function executionsOf(invocationId: string): number {
  return executions.get(invocationId) ?? 0;
}

export function countExecution(invocationId: string): number {
  const count = executionsOf(invocationId) + 1;
  executions.set(invocationId, count);
  return count;
}

/** What the attempts of an invocation put aside, in order. */
export function rememberedOf(invocationId: string): readonly unknown[] {
  return remembered.get(invocationId) ?? [];
}

export function remember(invocationId: string, value: unknown): void {
  remembered.set(invocationId, [...rememberedOf(invocationId), value]);
}
