/** The client that the tables of one process share. */
import { DynamoDBClient } from "@aws-sdk/client-dynamodb";

/** More than the client's own 50, or a worker that drives a batch at once would queue for sockets. */
const SOCKETS_MAX = 256;
const CONNECT_TIMEOUT_MS = 1_000;
/** An answer takes milliseconds; one that takes this long is lost, and asking again is faster. */
const REQUEST_TIMEOUT_MS = 3_000;
const ATTEMPTS_MAX = 4;

export interface DynamoClientOptions {
  /** The environment's region unless told. */
  readonly region?: string;
  /** Another engine than AWS's, such as an emulator. */
  readonly endpoint?: string;
  /** The environment's credentials unless told. */
  readonly credentials?: { readonly accessKeyId: string; readonly secretAccessKey: string };
}

export function dynamoClient({ region, endpoint, credentials }: DynamoClientOptions = {}): DynamoDBClient {
  const agent = { maxSockets: SOCKETS_MAX, keepAlive: true };
  return new DynamoDBClient({
    maxAttempts: ATTEMPTS_MAX,
    requestHandler: {
      connectionTimeout: CONNECT_TIMEOUT_MS,
      requestTimeout: REQUEST_TIMEOUT_MS,
      throwOnRequestTimeout: true,
      httpAgent: agent,
      httpsAgent: agent,
    },
    ...(region !== undefined && { region }),
    ...(endpoint !== undefined && { endpoint }),
    ...(credentials !== undefined && { credentials }),
  });
}
