/** Runs the checks one after the other. */
import type { Check } from "./checks.ts";
import type { Plane } from "./plane.ts";

export interface CheckResult {
  readonly name: string;
  readonly outcome: "passed" | "failed" | "skipped";
  readonly tookMs: number;
  /** The observation of the check, its error, or the reason why it was skipped. */
  readonly seen: string;
}

/**
 * All further checks are skipped after an interruption, and after the failure of a check that later checks need.
 * @param onResult called after each check
 */
export async function smokeTest(
  checks: readonly Check[],
  plane: Plane,
  signal: AbortSignal,
  onResult: (result: CheckResult) => void,
): Promise<readonly CheckResult[]> {
  const results: CheckResult[] = [];
  let why: string | undefined;
  for (const check of checks) {
    if (signal.aborted) why ??= "interrupted";
    const result = why === undefined ? await resultOf(check, plane, signal) : skipped(check, why);
    if (result.outcome === "failed" && check.isNeeded === true) why = `needs what failed: ${check.name}`;
    results.push(result);
    onResult(result);
  }
  return results;
}

async function resultOf(check: Check, plane: Plane, signal: AbortSignal): Promise<CheckResult> {
  const startedMs = performance.now();
  const took = (): number => Math.round(performance.now() - startedMs);
  const { name } = check;
  let interrupt: () => void = () => undefined;
  const interrupted = new Promise<never>((_, reject) => {
    interrupt = () => reject(new Error("interrupted"));
    signal.addEventListener("abort", interrupt, { once: true });
  });
  try {
    const seen = await Promise.race([check.run(plane), interrupted]);
    return { name, outcome: "passed", tookMs: took(), seen };
  } catch (error) {
    if (signal.aborted) return skipped(check, "interrupted");
    return { name, outcome: "failed", tookMs: took(), seen: error instanceof Error ? error.message : String(error) };
  } finally {
    signal.removeEventListener("abort", interrupt);
  }
}

function skipped({ name }: Check, why: string): CheckResult {
  return { name, outcome: "skipped", tookMs: 0, seen: why };
}
