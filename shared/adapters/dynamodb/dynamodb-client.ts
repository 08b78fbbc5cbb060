/** Creates the DynamoDB client that the tables of one process share. */
import { DynamoDBClient } from "@aws-sdk/client-dynamodb";

/** With the client's default of 50 sockets, a worker that drives a batch would wait for a free one. */
const SOCKETS_MAX = 256;
/** DynamoDB answers within milliseconds; after these times a retry is faster than waiting. */
const TIMEOUTS = { connectionTimeout: 1_000, requestTimeout: 3_000 };
/** An emulator is one process on a machine that may be busy, so a retry would only make it slower. */
const EMULATOR_TIMEOUTS = { connectionTimeout: 20_000, requestTimeout: 20_000 };
const ATTEMPTS_MAX = 4;

export interface DynamoClientOptions {
  /** Default: the region of the environment. */
  readonly region?: string;
  /** An endpoint other than AWS, such as an emulator. */
  readonly endpoint?: string;
  /** Default: the credentials of the environment. */
  readonly credentials?: { readonly accessKeyId: string; readonly secretAccessKey: string };
}

export function dynamoClient({ region, endpoint, credentials }: DynamoClientOptions = {}): DynamoDBClient {
  const agent = { maxSockets: SOCKETS_MAX, keepAlive: true };
  return new DynamoDBClient({
    maxAttempts: ATTEMPTS_MAX,
    requestHandler: {
      ...(endpoint === undefined ? TIMEOUTS : EMULATOR_TIMEOUTS),
      throwOnRequestTimeout: true,
      httpAgent: agent,
      httpsAgent: agent,
    },
    ...(region !== undefined && { region }),
    ...(endpoint !== undefined && { endpoint }),
    ...(credentials !== undefined && { credentials }),
  });
}
