/** The operations of a timeline; those of a long journal are made in steps, so that the page never blocks. */
import { useEffect, useMemo, useState } from "preact/hooks";
import type { Operation } from "../../model/timeline/operation.ts";
import { operationSteps, operationsOf, type TimelineFacts } from "../../model/timeline/operations.ts";

/** Shorter journals are laid out at once. */
const AT_ONCE_MAX_ENTRIES = 1_000;
/** After this time of work, the page may paint and answer keys. */
const WORK_MS = 12;

export interface Operations {
  readonly facts: TimelineFacts;
  readonly operations: readonly Operation[];
}

/**
 * Undefined until the operations of a long journal are computed for the first time. While they are computed again, the
 * hook returns the former ones.
 */
export function useOperations(facts: TimelineFacts): Operations | undefined {
  const isShort = facts.entries.length <= AT_ONCE_MAX_ENTRIES;
  const atOnce = useMemo(() => (isShort ? { facts, operations: operationsOf(facts) } : undefined), [facts]);
  const [inSteps, setInSteps] = useState<Operations>();
  useEffect(() => {
    if (isShort) return;
    let isOver = false;
    const steps = operationSteps(facts);
    const work = (): void => {
      if (isOver) return;
      for (const untilMs = performance.now() + WORK_MS; performance.now() < untilMs;) {
        const step = steps.next();
        if (step.done === true) return setInSteps({ facts, operations: step.value });
      }
      setTimeout(work);
    };
    setTimeout(work);
    return () => {
      isOver = true;
    };
  }, [facts]);
  return atOnce ?? inSteps;
}
