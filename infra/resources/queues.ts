/** The queue of wakes, the queue for slow services, and the dead-letter queue, which the sweeper empties. */
import { Duration } from "aws-cdk-lib";
import type { IKey } from "aws-cdk-lib/aws-kms";
import { Queue, QueueEncryption } from "aws-cdk-lib/aws-sqs";
import { Construct } from "constructs";
import { WORKER_TIMEOUT } from "./time-outs.ts";

/** Workers delay a failed message longer each time, up to five minutes, so that twelve receives take almost half an hour. */
const RECEIVES_MAX = 12;

export interface WakeQueueProps {
  /** By default SQS encrypts with its own key. */
  readonly encryptionKey?: IKey;
  /** Refuses requests without TLS. */
  readonly sslOnly: boolean;
}

export class WakeQueue extends Construct {
  readonly queue: Queue;
  /** A second queue for slow services, so that they take no workers from other services. */
  readonly slowQueue: Queue;
  readonly deadLetters: Queue;

  constructor(scope: Construct, id: string, { encryptionKey, sslOnly }: WakeQueueProps) {
    super(scope, id);
    const all = {
      retentionPeriod: Duration.days(14),
      enforceSSL: sslOnly,
      ...(encryptionKey === undefined
        ? { encryption: QueueEncryption.SQS_MANAGED }
        : { encryption: QueueEncryption.KMS, encryptionMasterKey: encryptionKey }),
    };
    this.deadLetters = new Queue(this, "Dlq", all);
    const wakes = {
      ...all,
      // The minimum that an event source accepts. Workers extend the timeout of a message by one lease at a time.
      visibilityTimeout: WORKER_TIMEOUT,
      deadLetterQueue: { queue: this.deadLetters, maxReceiveCount: RECEIVES_MAX },
    };
    this.queue = new Queue(this, "Queue", wakes);
    this.slowQueue = new Queue(this, "SlowQueue", wakes);
  }
}
