/** A control plane made of functions, called as API Gateway and SQS call them; and the environment of the functions. */
import type { GatewayEvent, GatewayResult } from "../../functions/lambda/gateway-event.ts";
import type { WorkAnswer } from "../../shared/wiring/work-event.ts";
import type { HintsServer } from "./hints-server.ts";
import type { Site } from "./site.ts";

export type FunctionName = "ingress" | "admin" | "worker" | "sweeper";
/** Calls one of the functions with an event and resolves with its answer. */
export type CallFunction = (name: FunctionName, event: unknown) => Promise<unknown>;
/** Calls one instance of a function with an event; instances are numbered from 0. */
export type CallInstance = (name: FunctionName, instance: number, event: unknown) => Promise<unknown>;

/** Five workers, because each hanging handler occupies one. */
export const INSTANCES: Readonly<Record<FunctionName, number>> = { ingress: 2, admin: 1, worker: 5, sweeper: 1 };

/** As on Lambda, an instance has one event at a time; when all are busy, events wait in their order. */
export function oneEventAtATime(call: CallInstance): CallFunction {
  const free = new Map(Object.entries(INSTANCES).map(([name, count]) => [name, [...Array(count).keys()]]));
  const waiting = new Map(Object.keys(INSTANCES).map((name) => [name, [] as ((instance: number) => void)[]]));
  return async (name, event) => {
    const [idle, line] = [free.get(name)!, waiting.get(name)!];
    const instance = idle.shift() ?? (await new Promise<number>((resolve) => line.push(resolve)));
    try {
      return await call(name, instance, event);
    } finally {
      const next = line.shift();
      if (next === undefined) idle.push(instance);
      else next(instance);
    }
  };
}

/** The path of the parameters of the drill's environment. */
export const PARAMETERS_PATH = "/stepwell/drill";

export function functionSite(call: CallFunction): Site {
  return {
    async request(api, method, path, { headers = {}, body } = {}) {
      const [rawPath = "", rawQueryString = ""] = path.split("?");
      const event: GatewayEvent = {
        rawPath,
        rawQueryString,
        headers,
        requestContext: { http: { method } },
        ...(body !== undefined && { body }),
      };
      const answer = (await call(api, event)) as GatewayResult;
      const text = answer.isBase64Encoded ? Buffer.from(answer.body, "base64").toString() : answer.body;
      return { status: answer.statusCode, headers: answer.headers, text };
    },
  };
}

/** Hands each message alone to the worker function. */
export function workOn(hints: HintsServer, call: CallFunction): void {
  hints.worker = async ({ messageId, body }) => {
    const attributes = { ApproximateReceiveCount: "1" };
    const event = { Records: [{ messageId, receiptHandle: messageId, body, attributes }] };
    const { batchItemFailures } = (await call("worker", event)) as WorkAnswer;
    return batchItemFailures.length === 0;
  };
}

export interface Surroundings {
  readonly tableName: string;
  readonly dynamoUri: string;
  readonly hintsUri: string;
  readonly leaseS: number;
}

/**
 * The variables that a stack gives its functions, with the values for the upgrade drill (drill.ts). Functions of an older version
 * only warn of a variable that they do not know.
 */
export function functionEnvironment({ tableName, dynamoUri, hintsUri, leaseS }: Surroundings): Record<string, string> {
  return {
    AWS_REGION: "eu-west-1",
    AWS_ACCESS_KEY_ID: "test",
    AWS_SECRET_ACCESS_KEY: "test",
    AWS_ENDPOINT_URL_DYNAMODB: dynamoUri,
    AWS_ENDPOINT_URL_SQS: hintsUri,
    AWS_ENDPOINT_URL_SSM: hintsUri,
    STEPWELL_AWS__TABLE: tableName,
    STEPWELL_AWS__QUEUE_URL: `${hintsUri}/queue`,
    STEPWELL_AWS__TIMERS: "ladder",
    STEPWELL_AWS__ALLOWED_ADDRESSES: "loopback",
    STEPWELL_AWS__PARAMETERS: PARAMETERS_PATH,
    STEPWELL_AWS__METRICS: "none",
    STEPWELL_WORKER__LEASE: `${leaseS}s`,
    STEPWELL_LOG__LEVEL: "error",
  };
}
