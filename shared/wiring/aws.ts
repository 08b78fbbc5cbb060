/** The composition root of the functions: connects every port to AWS, once per process. */
import { dynamoClient } from "../adapters/dynamodb/dynamodb-client.ts";
import { DynamoTable } from "../adapters/dynamodb/dynamodb-table.ts";
import { LambdaEndpoints } from "../adapters/lambda/lambda-endpoints.ts";
import { sqsClient } from "../adapters/sqs/sqs-client.ts";
import { SqsQueue } from "../adapters/sqs/sqs-queue.ts";
import { SqsSlices } from "../adapters/sqs/sqs-slices.ts";
import { SystemClock } from "../adapters/system/clock.ts";
import { deflateCodec } from "../adapters/system/deflate-codec.ts";
import { EmfMeter } from "../adapters/system/emf-meter.ts";
import { SecretIdSource } from "../adapters/system/id-source.ts";
import { PinoLog } from "../adapters/system/pino-log.ts";
import { silentMeter } from "../adapters/system/silent-meter.ts";
import { METRIC_FACTS } from "../config/metric-facts.ts";
import { loadSettings } from "../config/settings.ts";
import type { Settings } from "../config/settings-table.ts";
import { newBulkheads, showPeaks } from "../engine/bulkheads/bulkheads.ts";
import { ActiveInvocations } from "../engine/local/active-invocations.ts";
import type { Engine } from "../engine/engine.ts";
import type { Clock } from "../engine/ports/clock.ts";
import type { Log } from "../engine/ports/log.ts";
import type { Queue } from "../engine/ports/queue.ts";
import type { Registry } from "../engine/ports/registry.ts";
import { createStoredRegistry } from "../engine/register/stored-registry.ts";
import {
  awsHttpsEndpoints,
  awsQueue,
  awsSchedules,
  awsTimers,
  awsTopics,
  endpointsByDestination,
  required,
} from "./aws-ports.ts";
import { engineSettingsOf } from "./engine-settings-of.ts";
import { environmentSecret, freshOwner, freshSecretBytes, recognisedSecret } from "./environment-secret.ts";
import { memoryBudgets } from "./memory-size.ts";
import { parameterNames, parameterStore, readParameterKeys, type ParameterPlace } from "./parameter-keys.ts";
import { endpointsSignedBy, signingEndpoints } from "./signing-endpoints.ts";
import { claimTable } from "./table-format.ts";
import { tracing } from "./tracing.ts";
import { CodedError } from "../core/errors/coded-error.ts";
import { documentationOf } from "../core/errors/error-table.ts";

export interface Aws {
  readonly engine: Engine;
  readonly settings: Settings;
  /** The dead-letter queue; only functions configured with its URL have it. */
  readonly deadLetters?: Queue;
  /** Writes the metrics gathered since the last call; absent if metrics are off. */
  readonly flushMetrics?: () => void;
  /** Adds Lambda's request id to every later log line. */
  readonly tagLogs?: (requestId: string | undefined) => void;
}

export interface AwsOptions {
  /** Names the function on each of its log lines. */
  readonly functionName: string;
  /** Set if the drivers have only the time of a request, which is shorter than the time of a worker. */
  readonly leavesSlowToQueue?: boolean;
  /** Wraps the queue of the engine; if absent, the engine gets the queue itself. */
  readonly throughQueue?: (queue: Queue) => Queue;
}

/**
 * Connects the ports. A function calls it while it starts, so that only the first request waits.
 * @throws CodedError RT0002 if a setting or a key is missing or unreadable, META0010 and META0011 if the table does not
 * have this program's format
 */
export async function openAws(options: AwsOptions): Promise<Aws> {
  const request: { requestId?: string | undefined } = {};
  const toLog = {
    fields: { function: options.functionName },
    fieldsNow: () => request,
    toStandardOutput: true,
    synchronous: true,
  };
  return await loggingStartFailure(new PinoLog(toLog), async () => {
    const { settings, warnings } = loadSettings(undefined, {});
    const log = new PinoLog({ ...toLog, level: settings["log.level"] });
    for (const warning of warnings) log.write("setting.not-applied", { reason: warning });
    const tagLogs = (requestId: string | undefined): void => void (request.requestId = requestId);
    return { ...(await opened(options, settings, log)), tagLogs };
  });
}

async function opened({ leavesSlowToQueue, throughQueue }: AwsOptions, settings: Settings, log: Log): Promise<Aws> {
  const clock = new SystemClock();
  const emf = settings["aws.metrics"] === "emf" ? emfMeter(settings, clock) : undefined;
  const table = new DynamoTable({ client: dynamoClient(), tableName: required(settings, "aws.table"), clock });
  const client = sqsClient();
  const queueUrl = required(settings, "aws.queue-url");
  const known: { registry?: Registry } = {};
  const lanes = awsQueue(settings, { client, clock, log }, known);
  const queue = throughQueue?.(lanes) ?? lanes;
  // The slow lane keeps slow services from taking all workers. A driver in a function that answers requests occupies no worker.
  const inWorker = settings["aws.slow-queue-url"] === undefined ? "here" : "slow-lane";
  const slowServices = leavesSlowToQueue === true ? "queue" : inWorker;
  const engineSettings = engineSettingsOf(settings, {
    ownership: { kind: "shared", slowFromMs: settings["aws.slow-from"], slowServices },
    indexShards: settings["aws.index-shards"],
  });
  const place = parameterPlace(settings);
  const keys = place && (await readParameterKeys(parameterStore(), place));
  await claimTable(table, engineSettings.keyPrefix);
  const secret = await (keys
    ? recognisedSecret(table, engineSettings.keyPrefix, keys.secret)
    : environmentSecret(table, engineSettings.keyPrefix, freshSecretBytes));
  known.registry = createStoredRegistry({ meta: table, clock, settings: engineSettings, log });
  const endpoints = endpointsByDestination({ https: awsHttpsEndpoints(settings), lambda: lambdaEndpoints(settings) });
  const engine: Engine = {
    table,
    meta: table,
    queue,
    slices: new SqsSlices({ client, queueUrl, fairBy: settings["aws.fair-queue"] }),
    timers: awsTimers(settings, queue, clock),
    schedules: awsSchedules(settings, client, clock),
    endpoints:
      place && keys
        ? endpointsSignedBy(endpoints, keys.signingPem, parameterNames(place).current, clock)
        : signingEndpoints(endpoints, settings, clock, log),
    registry: known.registry,
    clock,
    ids: new SecretIdSource(secret),
    topics: awsTopics(settings, clock),
    codec: deflateCodec,
    log,
    meter: emf ?? silentMeter,
    ...(await tracing(settings, log)),
    activeInvocations: new ActiveInvocations(clock, freshOwner()),
    bulkheads: newBulkheads(clock, memoryBudgets(settings)),
    settings: engineSettings,
  };
  const deadLetterUrl = settings["aws.dead-letter-queue-url"];
  const deadLetters = deadLetterUrl && new SqsQueue({ client, queueUrl: deadLetterUrl, clock, log });
  return {
    engine,
    settings,
    ...(deadLetters && { deadLetters }),
    ...(emf && { flushMetrics: () => flushWithPeaks(emf, engine) }),
  };
}

function flushWithPeaks(emf: EmfMeter, { bulkheads }: Engine): void {
  showPeaks(emf, bulkheads);
  emf.flush();
}

function lambdaEndpoints(settings: Settings): LambdaEndpoints {
  const [externalId, handlerTag] = [settings["aws.external-id"], settings["aws.handler-tag"]];
  return new LambdaEndpoints({
    ...(externalId !== undefined && { externalId }),
    ...(handlerTag !== undefined && { handlerTag }),
  });
}

function emfMeter(settings: Settings, clock: Clock): EmfMeter {
  const { namespace, dimension } = METRIC_FACTS;
  return new EmfMeter({ namespace, dimensions: { [dimension]: settings["cluster-name"] }, clock });
}

function parameterPlace(settings: Settings): ParameterPlace | undefined {
  const path = settings["aws.parameters"];
  return path === undefined ? undefined : { path, signingKey: settings["aws.signing-key"] };
}

/** The Lambda runtime also logs the error, but over many lines and without the remedy. @throws every error of `open` */
async function loggingStartFailure<T>(log: Log, open: () => Promise<T>): Promise<T> {
  try {
    return await open();
  } catch (error) {
    log.write("function.start-failed", failureFields(error));
    throw error;
  }
}

function failureFields(error: unknown): Readonly<Record<string, string>> {
  if (!(error instanceof CodedError)) return { error: String(error) };
  const { code, message, entry } = error;
  return { code, error: message, remedy: entry.remedy, see: documentationOf(code) };
}
