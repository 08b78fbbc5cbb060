/** Counts and values that the handlers of the test deployment keep in this process, by invocation. */

const attempts = new Map<string, number>();
const executions = new Map<string, number>();
const remembered = new Map<string, unknown[]>();

/** The number of attempts of an invocation. */
export function attemptsOf(invocationId: string): number {
  return attempts.get(invocationId) ?? 0;
}

export function countAttempt(invocationId: string): number {
  const count = attemptsOf(invocationId) + 1;
  attempts.set(invocationId, count);
  return count;
}

/** The number of executed closures of `ctx.run` of an invocation. */
export function executionsOf(invocationId: string): number {
  return executions.get(invocationId) ?? 0;
}

export function countExecution(invocationId: string): number {
  const count = executionsOf(invocationId) + 1;
  executions.set(invocationId, count);
  return count;
}

/** The values that the attempts of an invocation stored, in order. */
export function rememberedOf(invocationId: string): readonly unknown[] {
  return remembered.get(invocationId) ?? [];
}

export function remember(invocationId: string, value: unknown): void {
  remembered.set(invocationId, [...rememberedOf(invocationId), value]);
}
