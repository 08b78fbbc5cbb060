/** A CloudWatch dashboard with the health, the load and the backlogs of the control plane. */
import { Stack } from "aws-cdk-lib";
import { Dashboard, GraphWidget, Stats, type IMetric } from "aws-cdk-lib/aws-cloudwatch";
import type { Queue } from "aws-cdk-lib/aws-sqs";
import { Construct } from "constructs";
import type { WatchedProps } from "./alarms.ts";
import { functionsTotal, ownMetric, ownMetrics, PERIOD, tableThrottles } from "./metrics.ts";

const WIDTH = 8;

export class StepwellDashboard extends Construct {
  constructor(scope: Construct, id: string, props: WatchedProps) {
    super(scope, id);
    const { environment, table, queue, slowQueue, deadLetters, functions, hasOwnMetrics } = props;
    // Dashboards are global in an account, which may have the same stack in several Regions.
    const { region } = Stack.of(this);
    const page = new Dashboard(this, "Page", { dashboardName: `${environment}-stepwell-${region}` });
    if (hasOwnMetrics) {
      page.addWidgets(
        graph("Accepted, by where they come from", [ownMetrics(environment, "invocations_accepted_total", "source")]),
        graph("Attempts, by how they end", [ownMetrics(environment, "attempts_total", "ending")]),
        graph("Failures of attempts, by code", [ownMetrics(environment, "attempt_failures_total", "code")]),
        graph("Paused by the engine", [ownMetric(environment, "invocations_paused_total")]),
        graph("An attempt takes (s)", [
          ownMetric(environment, "attempt_seconds", { statistic: Stats.percentile(50) }),
          ownMetric(environment, "attempt_seconds", { statistic: Stats.percentile(99) }),
        ]),
        graph("Longest overdue (s)", [ownMetric(environment, "oldest_overdue_seconds", { statistic: Stats.MAXIMUM })]),
        graph("Open, by status", [ownMetrics(environment, "open_invocations", "status", Stats.MAXIMUM)]),
        graph("Longest without a driver (s)", [
          ownMetric(environment, "oldest_ready_seconds", { statistic: Stats.MAXIMUM }),
        ]),
        graph(
          "Walks of the sweeper are behind (s)",
          ["listing", "due", "everything"].map((walk) =>
            ownMetric(environment, `sweep_${walk}_behind_seconds`, { statistic: Stats.MAXIMUM }),
          ),
        ),
        graph("Segments, by what follows", [ownMetrics(environment, "segments_total", "after")]),
      );
    }
    const noisy = (one: Queue) =>
      one.metric("ApproximateNumberOfNoisyGroups", { period: PERIOD, statistic: Stats.MAXIMUM });
    page.addWidgets(
      graph("Wakes in the queue", wakesIn(queue)),
      graph("Wakes of slow services", wakesIn(slowQueue)),
      graph("The oldest wake (s)", [
        queue.metricApproximateAgeOfOldestMessage({ period: PERIOD, statistic: Stats.MAXIMUM }),
        queue.metric("ApproximateAgeOfOldestMessageInQuietGroups", { period: PERIOD, statistic: Stats.MAXIMUM }),
        slowQueue.metricApproximateAgeOfOldestMessage({ period: PERIOD, statistic: Stats.MAXIMUM }),
      ]),
      graph("Services that are noisy", [noisy(queue), noisy(slowQueue)]),
      graph("Dead letters", [
        deadLetters.metricApproximateNumberOfMessagesVisible({ period: PERIOD, statistic: Stats.MAXIMUM }),
      ]),
      graph(
        "Functions running",
        functions.map((one) => one.metric("ConcurrentExecutions", { statistic: Stats.MAXIMUM, period: PERIOD })),
      ),
      graph("Functions failing and refused", [
        functionsTotal(functions, "Errors", "Errors"),
        functionsTotal(functions, "Throttles", "Throttles"),
      ]),
      graph("The table: units, and what it refused", [
        table.metricConsumedWriteCapacityUnits({ period: PERIOD }),
        table.metricConsumedReadCapacityUnits({ period: PERIOD }),
        tableThrottles(table),
      ]),
    );
  }
}

function wakesIn(queue: Queue): IMetric[] {
  return [
    queue.metricApproximateNumberOfMessagesVisible({ period: PERIOD, statistic: Stats.MAXIMUM }),
    queue.metricApproximateNumberOfMessagesNotVisible({ period: PERIOD, statistic: Stats.MAXIMUM }),
    queue.metricApproximateNumberOfMessagesDelayed({ period: PERIOD, statistic: Stats.MAXIMUM }),
  ];
}

function graph(title: string, left: IMetric[]): GraphWidget {
  return new GraphWidget({ title, left, width: WIDTH });
}
