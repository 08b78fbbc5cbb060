/** The complaints about a history, in words, and the figures of a history. */
import { type Operation, written } from "./history.ts";
import { judgeAll } from "./things.ts";

export interface Verdicts {
  /** One for each thing whose operations no order explains. */
  readonly complaints: readonly string[];
  readonly undecided: number;
  readonly operations: number;
  readonly unanswered: number;
}

/** @param again how to play the history again */
export function verdictsOn(operations: readonly Operation[], again: string): Verdicts {
  const judged = judgeAll(operations);
  return {
    complaints: judged.flatMap(({ thing, verdict, operations: mine }) =>
      verdict.kind === "violation"
        ? [
            `${thing}: no order of these operations explains their answers; ${again}\n${written(mine)}\n` +
              `One of these must come next, and none can:\n${written(verdict.stuck)}`,
          ]
        : [],
    ),
    undecided: judged.filter(({ verdict }) => verdict.kind === "undecided").length,
    operations: operations.length,
    unanswered: operations.filter(({ answeredAt }) => answeredAt === Infinity).length,
  };
}
