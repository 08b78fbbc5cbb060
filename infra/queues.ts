/** The queue of wakes, and the one for those that could not be worked on, which the sweeper empties. */
import { Duration } from "aws-cdk-lib";
import { Queue, QueueEncryption } from "aws-cdk-lib/aws-sqs";
import { Construct } from "constructs";
import { WORKER_TIMEOUT } from "./time-outs.ts";

/** A worker waits longer each time that a message fails: so many times take the better part of an hour. */
const RECEIVES_MAX = 12;

export class WakeQueue extends Construct {
  readonly queue: Queue;
  readonly deadLetters: Queue;

  constructor(scope: Construct, id: string) {
    super(scope, id);
    this.deadLetters = new Queue(this, "Dlq", {
      retentionPeriod: Duration.days(14),
      encryption: QueueEncryption.SQS_MANAGED,
    });
    this.queue = new Queue(this, "Queue", {
      // The least that an event source takes; workers hide each message for a lease at a time.
      visibilityTimeout: WORKER_TIMEOUT,
      retentionPeriod: Duration.days(14),
      encryption: QueueEncryption.SQS_MANAGED,
      deadLetterQueue: { queue: this.deadLetters, maxReceiveCount: RECEIVES_MAX },
    });
  }
}
