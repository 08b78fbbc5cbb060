/** The settings of the functions on AWS. */
import { choice, count, duration, optionalText, text, wholeWithin, type Setting } from "./setting-kinds.ts";

export const AWS_SETTINGS = {
  "aws.table": optionalText("The DynamoDB table of invocations and deployments."),
  "aws.queue-url": optionalText("The SQS queue of wakes, by its URL."),
  "aws.slow-queue-url": optionalText(
    "The URL of the SQS queue of wakes for slow services: those with a handler that took `aws.slow-from` within the last seven days. Without it all services share one queue.",
  ),
  "aws.queue-arn": optionalText("The ARN of the same queue, to which schedules send."),
  "aws.dead-letter-queue-url": optionalText("The dead-letter queue, by its URL: wakes that no worker could process."),
  "aws.fair-queue": choice(
    ["service", "none"],
    "The message group by which the queue is fair, so that no service waits behind a flood of messages for another; SQS charges extra for fair queues.",
  ),
  "aws.timers": choice(
    ["scheduler", "ladder"],
    "Where late wakes wait: in EventBridge Scheduler, or in the queue as a chain of delayed messages.",
  ),
  "aws.schedule-group": optionalText("The group of schedules in EventBridge Scheduler."),
  "aws.schedule-role-arn": optionalText("The role with which EventBridge Scheduler sends to the queue."),
  "aws.ingress-time": duration(
    "25s",
    "How long a request waits for its result; then the answer says where to ask for it.",
  ),
  "aws.slow-from": duration(
    "5s",
    "The age from which an attempt is slow: ingress functions leave a handler to the workers once they have cut such an attempt for time, and a service with such an open attempt moves to the slow lane.",
  ),
  "aws.allowed-addresses": optionalText(
    "Address ranges, separated by commas, in which deployments may be beside public addresses, and for which http:// is allowed: 10.4.0.0/16, private, loopback.",
  ),
  "aws.parameters": optionalText(
    "The path of the SSM parameters with the keys; without it the secret is in the table, and Stepwell does not sign requests.",
  ),
  "aws.signing-key": count(
    "1",
    "The number of the key that signs requests to deployments; they trust the next one, too.",
  ),
  "aws.index-shards": wholeWithin(
    "8",
    "Partitions of each index: one carries some 1,000 acceptances a second, and each more costs a list two queries. Only ever raised.",
    { min: 1, max: 16 },
  ),
  "aws.handler-tag": optionalText(
    "The value of the tag `stepwell` on functions that Stepwell may call as handlers; errors about refused calls suggest this tag.",
  ),
  "aws.topics-function": optionalText("The function to which Lambda delivers records of Kafka topics."),
  "aws.external-id": optionalText("The external id that Stepwell passes when it assumes a role to call functions."),
  "aws.caller-claim": text(
    "sub",
    "The claim of a token that names the caller, for an ingress behind JWT; handlers get it after the issuer, in x-stepwell-caller.",
  ),
  "aws.metrics": choice(
    ["emf", "none"],
    "Whether functions write metrics into their logs, where CloudWatch reads them.",
  ),
  "aws.ingress-endpoint": optionalText("The address of the ingress that the admin API shows."),
} as const satisfies Record<string, Setting<unknown>>;
