/**
 * The handler of the sweeper function. A rule calls it every few minutes; it sweeps, tries the dead letters, and compares the
 * event source mappings with the subscriptions.
 */
import { drainDeadLetters, type DeadLetterReport } from "../../shared/engine/sweep/dead-letters.ts";
import type { SweepReport } from "../../shared/engine/sweep/pass.ts";
import { followOnce } from "../../shared/engine/topics/follow-subscriptions.ts";
import { sweepAll, sweepOnce } from "../../shared/engine/sweep/sweep.ts";
import { withinTime } from "../../shared/engine/consume/time-budget.ts";
import type { Aws } from "../../shared/wiring/aws.ts";
import { timeIsUpAtMs, type LambdaContext } from "../lambda/time-left.ts";

/** The sweep gets this share of the time, so that time for the rest remains even if looks take long. */
const SWEPT_SHARE = 0.75;
/** After this share of the time no dead letter is tried, so that time for the event source mappings remains. */
const LETTERS_SHARE = 0.9;

export interface SweeperReport {
  readonly swept: SweepReport;
  readonly letters?: DeadLetterReport;
}

/** The event of the rule has no `everything`. After a restore of the table an operator sends one event with `everything`. */
export interface SweeperEvent {
  readonly everything?: boolean;
}

export type SweeperHandler = (event: SweeperEvent, context: LambdaContext) => Promise<SweeperReport>;

export function sweeperHandler(aws: Aws): SweeperHandler {
  const { engine, deadLetters, settings } = aws;
  return (event, context) => {
    const untilMs = timeIsUpAtMs(aws, context);
    return withinTime(engine, untilMs, async () => {
      const nowMs = engine.clock.nowMs();
      const sweptUntilMs = nowMs + SWEPT_SHARE * (untilMs - nowMs);
      const swept = await (event.everything === true
        ? sweepAll(engine, sweptUntilMs)
        : sweepOnce(engine, sweptUntilMs));
      const followsTopics = settings["aws.topics-function"] !== undefined;
      const lettersUntilMs = followsTopics ? nowMs + LETTERS_SHARE * (untilMs - nowMs) : untilMs;
      const letters = deadLetters && (await drainDeadLetters(engine, deadLetters, lettersUntilMs));
      if (followsTopics) await followOnce(engine, untilMs);
      return { swept, ...(letters && { letters }) };
    });
  };
}
