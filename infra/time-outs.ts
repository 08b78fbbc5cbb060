/** How long each kind of function may run. */
import { Duration } from "aws-cdk-lib";

/** An HTTP API waits for thirty seconds and no longer. */
export const REQUEST_TIMEOUT = Duration.seconds(29);
/** The longest that there is: no attempt can take longer than the worker that makes it. */
export const WORKER_TIMEOUT = Duration.minutes(15);
export const SWEEPER_TIMEOUT = Duration.minutes(5);
/** What is made while a stack is deployed is made within this, or the deployment fails and says so. */
export const DEPLOY_TIMEOUT = Duration.minutes(2);
