/** The time-outs of the functions. */
import { Duration } from "aws-cdk-lib";

/** An HTTP API waits for at most thirty seconds. */
export const REQUEST_TIMEOUT = Duration.seconds(29);
/** Lambda's maximum: no attempt can take longer than its worker. */
export const WORKER_TIMEOUT = Duration.minutes(15);
export const SWEEPER_TIMEOUT = Duration.minutes(5);
/** A batch of a hundred records is accepted within seconds. The rest of the time is for a slow store. */
export const TOPICS_TIMEOUT = Duration.minutes(2);
/** A custom resource must finish within this time; otherwise the deployment of the stack fails. */
export const DEPLOY_TIMEOUT = Duration.minutes(2);
