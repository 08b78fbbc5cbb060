/** The rule that calls the sweeper. */
import { Duration } from "aws-cdk-lib";
import { Rule, Schedule } from "aws-cdk-lib/aws-events";
import { LambdaFunction } from "aws-cdk-lib/aws-events-targets";
import type { Function as LambdaFunctionConstruct } from "aws-cdk-lib/aws-lambda";
import { Construct } from "constructs";

/** As old as what the sweeper looks for in the listing: what lost its message waits for twice as long at most. */
const EVERY = Duration.minutes(5);

export class SweepRule extends Construct {
  constructor(scope: Construct, id: string, { sweeper }: { readonly sweeper: LambdaFunctionConstruct }) {
    super(scope, id);
    new Rule(this, "Rule", {
      description: "Wakes what nobody woke, and empties the dead-letter queue",
      schedule: Schedule.rate(EVERY),
      // A pass that failed is made up for by the next one.
      targets: [new LambdaFunction(sweeper, { retryAttempts: 0 })],
    });
    // Lambda retries what is handed to it asynchronously twice by itself, and for hours where it is throttled: passes would pile up.
    sweeper.configureAsyncInvoke({ retryAttempts: 0, maxEventAge: EVERY });
  }
}
