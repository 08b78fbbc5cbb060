/** The alarms for operators; each description says what the alarm means and what to do. */
import { Annotations } from "aws-cdk-lib";
import type { ITopic } from "aws-cdk-lib/aws-sns";
import { Alarm, ComparisonOperator, Stats, TreatMissingData, type IMetric } from "aws-cdk-lib/aws-cloudwatch";
import { SnsAction } from "aws-cdk-lib/aws-cloudwatch-actions";
import type { Function as LambdaFunction } from "aws-cdk-lib/aws-lambda";
import type { Queue } from "aws-cdk-lib/aws-sqs";
import { Construct } from "constructs";
import { functionsTotal, ownMetric, PERIOD, tableThrottles } from "./metrics.ts";
import type { AnyTable } from "../resources/table.ts";

/**
 * Longer than twice the time between two passes of the sweeper. The first pass after the due time of a parked invocation
 * wakes the invocation.
 */
const OVERDUE_MAX_S = 900;
const LISTING_BEHIND_MAX_S = 3_600;
/** Walks begin at most six hours apart, and an open invocation survives two weeks without a walk. */
const EVERYTHING_BEHIND_MAX_S = 86_400;

export interface WatchedProps {
  readonly environment: string;
  readonly table: AnyTable;
  readonly queue: Queue;
  readonly slowQueue: Queue;
  readonly deadLetters: Queue;
  readonly functions: readonly LambdaFunction[];
  /** False if the functions write no metrics of their own. */
  readonly hasOwnMetrics: boolean;
}

export interface StepwellAlarmsProps extends WatchedProps {
  /** Notified when an alarm goes off, and when it is over. */
  readonly alarmTopic?: ITopic;
}

interface AlarmChoice {
  readonly description: string;
  readonly metric: IMetric;
  /** The alarm goes off above this value. */
  readonly threshold: number;
  readonly periods?: number;
  readonly isMissingBad?: boolean;
}

export class StepwellAlarms extends Construct {
  constructor(scope: Construct, id: string, props: StepwellAlarmsProps) {
    super(scope, id);
    const { environment, table, deadLetters, functions, alarmTopic, hasOwnMetrics } = props;
    if (alarmTopic === undefined) warnOfSilence(this);
    this.#add("DeadLetters", alarmTopic, {
      description:
        "Messages could not be worked on. The sweeper tries each of them once, alone, and pauses the invocations that still fail: look for paused invocations, and at the log of the worker.",
      metric: deadLetters.metricApproximateNumberOfMessagesVisible({ period: PERIOD, statistic: Stats.MAXIMUM }),
      threshold: 0,
    });
    this.#add("Errors", alarmTopic, {
      description: "A function of the control plane failed. Handlers that fail are not counted here: look at its log.",
      metric: functionsTotal(functions, "Errors", "Errors"),
      threshold: 0,
    });
    this.#add("Throttles", alarmTopic, {
      description: "Functions were not started for want of concurrency: raise the account's, or lower the worker's.",
      metric: functionsTotal(functions, "Throttles", "Throttles"),
      threshold: 0,
    });
    this.#add("TableThrottles", alarmTopic, {
      description: "The table refused requests: a key that is too hot, or a limit of the table or the account.",
      metric: tableThrottles(table),
      threshold: 0,
    });
    if (!hasOwnMetrics) return;
    this.#add("Paused", alarmTopic, {
      description:
        "An invocation was paused and goes on only when an operator resumes it: its attempts are used up, or it could not be driven at all. List what is paused; the last failure of each says why.",
      metric: ownMetric(environment, "invocations_paused_total"),
      threshold: 0,
    });
    this.#add("Overdue", alarmTopic, {
      description:
        "A parked invocation is long past its time, or the sweeper does not run, which would wake it: look at the log of the sweeper and at the age of the queue.",
      metric: ownMetric(environment, "oldest_overdue_seconds", { statistic: Stats.MAXIMUM }),
      threshold: OVERDUE_MAX_S,
      periods: 3,
      // The sweeper writes the metric at each pass, so a missing metric means a dead sweeper.
      isMissingBad: true,
    });
    this.#addWalks(alarmTopic, environment);
    this.#add("Schedules", alarmTopic, {
      description:
        "A tick of a schedule was late, missed or refused, or its run failed: `stepwell schedules list` shows the last outcome of each schedule, and `describe` its runs.",
      metric: ownMetric(environment, "schedule_faults_total"),
      threshold: 0,
    });
  }

  /** These alarms go off when a walk is an hour or a day behind, many days before an item can expire. */
  #addWalks(topic: ITopic | undefined, environment: string): void {
    const age = (walk: string) => ownMetric(environment, `sweep_${walk}_behind_seconds`, { statistic: Stats.MAXIMUM });
    this.#add("ListingBehind", topic, {
      description:
        "The sweeper has not reached invocations that were accepted more than an hour ago: one that lost its message and its driver waits for the sweeper. Raise sweeperMemoryMb or workerConcurrencyMax, and look at the log of the sweeper.",
      metric: age("listing"),
      threshold: LISTING_BEHIND_MAX_S,
      periods: 3,
    });
    this.#add("WalkBehind", topic, {
      description:
        "For a day the sweeper has finished no walk over all open invocations. They expire after two weeks without such a walk. Raise sweeperMemoryMb or workerConcurrencyMax, and look at the log of the sweeper.",
      metric: age("everything"),
      threshold: EVERYTHING_BEHIND_MAX_S,
      periods: 3,
    });
  }

  #add(id: string, topic: ITopic | undefined, choice: AlarmChoice): void {
    const { description, metric, threshold, periods = 1, isMissingBad = false } = choice;
    const alarm = new Alarm(this, id, {
      alarmDescription: description,
      metric,
      threshold,
      evaluationPeriods: periods,
      comparisonOperator: ComparisonOperator.GREATER_THAN_THRESHOLD,
      treatMissingData: isMissingBad ? TreatMissingData.BREACHING : TreatMissingData.NOT_BREACHING,
    });
    if (topic === undefined) return;
    alarm.addAlarmAction(new SnsAction(topic));
    alarm.addOkAction(new SnsAction(topic));
  }
}

/** Without a topic an alarm still changes its state in CloudWatch, but notifies no operator. */
function warnOfSilence(scope: Construct): void {
  Annotations.of(scope).addWarningV2(
    "stepwell:no-alarm-topic",
    "alarmTopic: without a topic no alarm notifies an operator. Paused invocations then wait unseen, and open ones are deleted for good two weeks after the sweeper has stopped. Give a topic (-c alarm-topic=<ARN>), or acknowledge this warning: docs/operating/incidents.md, Alarms",
  );
}
