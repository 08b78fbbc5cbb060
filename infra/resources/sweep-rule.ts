/** The EventBridge rule that calls the sweeper. */
import { Duration } from "aws-cdk-lib";
import { Rule, Schedule } from "aws-cdk-lib/aws-events";
import { LambdaFunction } from "aws-cdk-lib/aws-events-targets";
import type { Function as LambdaFunctionConstruct } from "aws-cdk-lib/aws-lambda";
import { Construct } from "constructs";

/** Equals the default of the setting `sweeper.listing-age`: an invocation that lost its message waits at most twice this. */
const EVERY = Duration.minutes(5);

export class SweepRule extends Construct {
  constructor(scope: Construct, id: string, { sweeper }: { readonly sweeper: LambdaFunctionConstruct }) {
    super(scope, id);
    new Rule(this, "Rule", {
      description: "Wakes invocations whose wake was lost, and empties the dead-letter queue",
      schedule: Schedule.rate(EVERY),
      // The next pass makes up for a failed one.
      targets: [new LambdaFunction(sweeper, { retryAttempts: 0 })],
    });
    // By default Lambda retries an asynchronous event twice, and a throttled one for hours, so passes would pile up.
    sweeper.configureAsyncInvoke({ retryAttempts: 0, maxEventAge: EVERY });
  }
}
