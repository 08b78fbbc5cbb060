/** Creates the SQS client that the queues of one process share. */
import { SQSClient } from "@aws-sdk/client-sqs";

/** More sockets than polls, because a long poll occupies its socket and a send must not wait for the end of a poll. */
const SOCKETS_MAX = 256;
const CONNECT_TIMEOUT_MS = 1_000;
/** For all requests but long polls, which set their own limit. */
const REQUEST_TIMEOUT_MS = 3_000;
const ATTEMPTS_MAX = 4;

export interface SqsClientOptions {
  /** Default: the region of the environment. */
  readonly region?: string;
  /** An endpoint other than AWS, such as an emulator. */
  readonly endpoint?: string;
  /** Default: the credentials of the environment. */
  readonly credentials?: { readonly accessKeyId: string; readonly secretAccessKey: string };
}

export function sqsClient({ region, endpoint, credentials }: SqsClientOptions = {}): SQSClient {
  const agent = { maxSockets: SOCKETS_MAX, keepAlive: true };
  return new SQSClient({
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
