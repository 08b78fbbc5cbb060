/** Makes the queue of wakes on AWS: one SQS queue, or two if slow services have their own lane. */
import { LanedQueue } from "../adapters/sqs/laned-queue.ts";
import type { SqsQueueOptions } from "../adapters/sqs/sqs-queue.ts";
import { SqsQueue } from "../adapters/sqs/sqs-queue.ts";
import type { Settings } from "../config/settings-table.ts";
import type { Queue } from "../engine/ports/queue.ts";
import type { Registry } from "../engine/ports/registry.ts";
import { required } from "./required-setting.ts";

/**
 * @param known contains the registry once it exists; messages that are sent before then go to the main lane
 * @throws CodedError RT0002 if a setting is missing
 */
export function awsQueue(
  settings: Settings,
  sqs: Omit<SqsQueueOptions, "queueUrl" | "fairBy">,
  known: { readonly registry?: Registry },
): Queue {
  const fairBy = settings["aws.fair-queue"];
  const main = new SqsQueue({ ...sqs, fairBy, queueUrl: required(settings, "aws.queue-url") });
  const queueUrl = settings["aws.slow-queue-url"];
  if (queueUrl === undefined) return main;
  const slow = new SqsQueue({ ...sqs, fairBy, queueUrl });
  return new LanedQueue({ main, slow, isSlow: (service) => known.registry?.isSlow(service) === true });
}
