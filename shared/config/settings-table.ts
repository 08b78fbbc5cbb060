/** Every setting: its key, kind, default and meaning. Files, variables, flags and documentation derive from this table. */
import { optionalHttpAddress } from "./http-address.ts";
import { headerNames, hostNames } from "./name-list.ts";
import {
  choice,
  count,
  countOrShare,
  countOrUnlimited,
  duration,
  factor,
  flag,
  interval,
  optionalDuration,
  optionalKeyFile,
  optionalSize,
  optionalText,
  port,
  size,
  sizeFrom,
  text,
  wholeWithin,
} from "./setting-kinds.ts";
import type { Setting } from "./setting-kinds.ts";

/** The known versions of the service protocol. */
const PROTOCOL_VERSIONS = { min: 5, max: 7 };

export const SETTINGS = {
  "data-dir": text("./.stepwell", "The directory of the two stores, meta and journal."),
  "meta.storage-path": optionalText("The directory of the meta store; <data-dir>/meta where nothing is said."),
  "worker.storage.path": optionalText("The directory of the journal store; <data-dir>/journal where nothing is said."),
  "cluster-name": text("stepwell", "Sent to deployments as x-restate-cluster-name."),
  "request-identity-private-key-pem-file": optionalKeyFile(
    "An Ed25519 private key in PEM (PKCS#8); requests to deployments are signed with it.",
  ),
  "tracing-endpoint": optionalHttpAddress(
    "Where spans are sent: a collector that takes OTLP over HTTP in protobuf, such as http://localhost:4318 (/v1/traces is added where no path is given); nothing is traced where nothing is said.",
  ),
  "shutdown-timeout": duration("5s", "How long running attempts may go on once the process is told to stop."),

  "memory-size": optionalSize(
    "The memory that this process divides into its budgets; by default half of the memory of the machine or the container, and 1 GiB at most.",
  ),

  "ingress.bind": text("127.0.0.1", "The address on which handlers are called."),
  "ingress.port": port("8080", "The port on which handlers are called; 0 takes a free one."),
  "ingress.request-size-limit": size("32MiB", "The largest request body that the ingress takes."),
  "ingress.bodies-size-limit": optionalSize(
    "The memory for bodies of requests that the ingress has yet to answer; by default a sixteenth of memory-size. One connection holds at most as much as is still free; a request without room gets 503 after 10s. Bodies up to 16KiB do not count.",
  ),
  "ingress.answers-size-limit": optionalSize(
    "The memory for answers of the ingress that clients have yet to read; by default an eighth of memory-size. One connection holds at most as much as is still free; a request whose answer has no room gets 503 after 15s, and the result stays. Answers up to 16KiB do not count.",
  ),
  "ingress.concurrent-api-requests-limit": countOrUnlimited(
    "unlimited",
    "Requests that the ingress reads and answers at the same time; further requests get 429 before the ingress reads their body.",
  ),
  "ingress.forward-headers": headerNames(
    "Headers with credentials (authorization, cookie, x-amz-*) that handlers get, and the journal with them.",
  ),

  "admin.bind": text("127.0.0.1", "The address of the admin API."),
  "admin.port": port("9070", "The port of the admin API; 0 takes a free one."),
  "admin.allowed-hosts": hostNames(
    "Host names that the local admin API accepts beside addresses and localhost; where admin.bind is no loopback address, it also accepts names without a dot and names that end with .local, .internal, .svc or .test; * accepts all. It refuses other names, since a web page could use them.",
  ),
  "admin.request-size-limit": size("4MiB", "The largest request body that the admin API takes."),
  "admin.query-engine.memory-size": sizeFrom(
    "16MiB",
    "256MiB",
    "The memory that one SQL statement may take in its process, on AWS at most half of the function's memory; two run at a time.",
  ),
  "admin.query-engine.time-limit": interval(
    "30s",
    "How long one SQL statement may take, on AWS at most the function's time.",
  ),
  "admin.bodies-size-limit": optionalSize(
    "As ingress.bodies-size-limit, for the admin API; by default a thirty-second of memory-size.",
  ),
  "admin.answers-size-limit": optionalSize(
    "As ingress.answers-size-limit, for the admin API; by default an eighth of memory-size.",
  ),

  "worker.lease": interval("10s", "How long a driver holds an invocation without renewing."),
  "worker.wait-in-driver": duration("1s", "Retries due within this time wait in the driver; later ones park."),
  "worker.queue-delay": duration("15m", "Wakes further away than this go to the timers."),
  "worker.cleanup-interval": interval("1m", "How often the local process removes what has expired."),
  "worker.check-interval": interval(
    "10m",
    "How often a parked invocation that no clock wakes is looked at; one that has waited for long, less often.",
  ),

  "sweeper.listing-age": duration("5m", "The sweeper looks at what was accepted this long ago and nobody drives."),

  "worker.invoker.concurrent-invocations-limit": count("1000", "Invocations from the queue driven at the same time."),
  "worker.invoker.concurrent-invocations-limit-per-service": countOrShare(
    "The most invocations of one service within concurrent-invocations-limit; share means as many as all services leave free.",
  ),
  "worker.invoker.concurrent-invocations-limit-per-deployment": countOrShare(
    "The most invocations of one deployment within concurrent-invocations-limit; share means twice as many as all deployments leave free.",
  ),
  "worker.invoker.replies-size-limit": optionalSize(
    "The memory for replies that the store has yet to take; by default a sixteenth of memory-size. One deployment holds at most as much as is still free, and waits beyond that; one attempt may send twice the whole.",
  ),
  "worker.invoker.journals-size-limit": optionalSize(
    "The memory for journals above 4 MiB; by default a sixteenth of memory-size. One service holds at most as much as is still free, and its invocations wait beyond that.",
  ),
  "worker.invoker.message-size-limit": size("32MiB", "The largest message of a deployment (RT0003)."),
  "worker.invoker.eager-state-size-limit": size(
    "1MiB",
    "So much of the state of an object travels with each request; handlers ask for the rest.",
  ),
  "worker.invoker.disable-eager-state": flag("false", "No state travels with requests: handlers ask for each value."),
  "worker.invoker.inactivity-timeout": duration(
    "1m",
    "How long an open stream may be quiet; attempts close their side at once.",
  ),
  "worker.invoker.abort-timeout": duration("10m", "After so long without messages an attempt is aborted (RT0001)."),
  "worker.invoker.connect-timeout": duration("10s", "How long connecting to a deployment may take."),
  "worker.invoker.silent-after": duration(
    "5s",
    "A deployment that took an attempt and sent nothing is shown as silent.",
  ),

  "worker.invoker.circuit-breaker": flag(
    "true",
    "While all attempts on a service of a deployment fail, Stepwell makes one attempt at a time until one succeeds.",
  ),
  "worker.invoker.min-protocol-version": wholeWithin(
    "5",
    "The lowest version of the service protocol that is spoken, for invocations in flight as well (RT0013, RT0014).",
    PROTOCOL_VERSIONS,
  ),
  "worker.invoker.max-protocol-version": wholeWithin(
    "7",
    "The highest version of the service protocol that is spoken.",
    PROTOCOL_VERSIONS,
  ),
  "worker.invoker.deprecated-below-protocol-version": wholeWithin(
    "5",
    "Deployments that speak only versions below this one are not registered and get no new invocations (META0012, RT0020); those in flight go on.",
    PROTOCOL_VERSIONS,
  ),

  "default-retry-policy.initial-interval": duration("500ms", "The wait before the first retry."),
  "default-retry-policy.exponentiation-factor": factor("2", "Each wait is longer than the one before by this factor."),
  "default-retry-policy.max-interval": duration("1m", "The longest wait between two attempts."),
  "default-retry-policy.max-attempts": countOrUnlimited("70", "Attempts, the first one included."),
  "default-retry-policy.on-max-attempts": choice(["pause", "kill"], "What happens after the last attempt."),

  "default-journal-retention": duration("1d", "How long the journal of a completed invocation is kept."),
  "max-journal-retention": optionalDuration("The longest that a service may ask its journals to be kept (RT0022)."),
  "default-idempotency-retention": duration("1d", "How long the result of an idempotent call is kept."),
  "default-workflow-completion-retention": duration("1d", "How long the result of a workflow is kept."),

  "aws.table": optionalText("The DynamoDB table of invocations and deployments."),
  "aws.queue-url": optionalText("The SQS queue of wakes, by its URL."),
  "aws.slow-queue-url": optionalText(
    "The URL of the SQS queue of wakes for slow services: those with a handler that took `aws.slow-from` within the last seven days. Without it all services share one queue.",
  ),
  "aws.queue-arn": optionalText("The same queue by its ARN, as schedules name it."),
  "aws.dead-letter-queue-url": optionalText("The queue of wakes that could not be worked on."),
  "aws.fair-queue": choice(
    ["service", "none"],
    "By what the queue is fair, so that no service waits behind a flood of messages for another; SQS takes a surcharge for it.",
  ),
  "aws.timers": choice(
    ["scheduler", "ladder"],
    "What keeps far wakes: EventBridge Scheduler, or hops through the queue.",
  ),
  "aws.schedule-group": optionalText("The group of the schedules."),
  "aws.schedule-role-arn": optionalText("The role as which EventBridge Scheduler sends to the queue."),
  "aws.schedule-early": duration("1m", "Schedules fire so long before their time; the queue delays the rest."),
  "aws.schedule-near": duration("2m", "Wakes due within this time go to the queue and not to the schedules."),
  "aws.ladder-hop": duration("15m", "The longest hop of a wake through the queue."),
  "aws.ingress-time": duration("25s", "A request that is not answered by then is told where to wait."),
  "aws.time-margin": duration("3s", "Drivers stop so long before their function's time is up."),
  "aws.slow-from": duration(
    "5s",
    "The age from which an attempt is slow: ingress functions leave a handler to the workers once they have cut such an attempt for time, and a service with such an open attempt moves to the slow lane.",
  ),
  "aws.allowed-addresses": optionalText(
    "Address ranges, separated by commas, in which deployments may be beside public addresses, and for which http:// is allowed: 10.4.0.0/16, private, loopback.",
  ),
  "aws.parameters": optionalText(
    "The path of the SSM parameters with the keys; without it the secret is in the table, and requests are not signed.",
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
  "aws.external-id": optionalText("The external id that is told to roles as which functions are called."),
  "aws.caller-claim": text(
    "sub",
    "The claim of a token that names the caller, for an ingress behind JWT; handlers get it after the issuer, in x-stepwell-caller.",
  ),
  "aws.metrics": choice(
    ["emf", "none"],
    "Whether functions write metrics into their logs, where CloudWatch reads them.",
  ),
  "aws.ingress-endpoint": optionalText("Where handlers are called, as the admin API tells it."),

  "log.level": choice(["info", "debug", "warn", "error", "silent"], "The least level that is logged."),
  "log.format": choice(["pretty", "json"], "How log lines are written."),
} as const satisfies Record<string, Setting<unknown>>;

export type SettingPath = keyof typeof SETTINGS;

export type Settings = {
  readonly [Path in SettingPath]: (typeof SETTINGS)[Path]["fallback"];
};

export const SETTING_PATHS = Object.keys(SETTINGS) as readonly SettingPath[];

/** The environment variable of a setting; two underscores separate sections. */
export function variableOf(path: string): string {
  return `STEPWELL_${path.toUpperCase().replaceAll(".", "__").replaceAll("-", "_")}`;
}
