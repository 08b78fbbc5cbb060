/**
 * Gives the reason of a failure of the Kafka client in one line. The errors of the Kafka client often name the reason only in
 * the cause of their cause.
 */

const REASON_MAX_CHARACTERS = 500;

export function plainReason(error: unknown): string {
  const texts: string[] = [];
  collect(error, texts, 0);
  return [...new Set(texts)].join("; ").slice(0, REASON_MAX_CHARACTERS);
}

function collect(error: unknown, texts: string[], depth: number): void {
  if (!(error instanceof Error) || depth > 4) return;
  const nested = "errors" in error && Array.isArray(error.errors) ? (error.errors as unknown[]) : [];
  if (nested.length === 0 && error.cause === undefined) texts.push(error.message);
  else if (depth === 0) texts.push(error.message.split("\n", 1)[0]!);
  for (const one of [...nested.slice(0, 3), error.cause]) collect(one, texts, depth + 1);
}
