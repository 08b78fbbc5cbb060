/** Creates the SSM client by which a function reads its keys while it starts. */
import { SSMClient } from "@aws-sdk/client-ssm";

const CONNECT_TIMEOUT_MS = 1_000;
const REQUEST_TIMEOUT_MS = 3_000;
/** Many tries: a function without keys does not start, and SSM throttles the reads of many functions that start together. */
const ATTEMPTS_MAX = 6;

export interface SsmClientOptions {
  /** Default: the region of the environment. */
  readonly region?: string;
  /** An endpoint other than AWS, such as an emulator. */
  readonly endpoint?: string;
  /** Default: the credentials of the environment. */
  readonly credentials?: { readonly accessKeyId: string; readonly secretAccessKey: string };
}

export function ssmClient({ region, endpoint, credentials }: SsmClientOptions = {}): SSMClient {
  return new SSMClient({
    maxAttempts: ATTEMPTS_MAX,
    requestHandler: {
      connectionTimeout: CONNECT_TIMEOUT_MS,
      requestTimeout: REQUEST_TIMEOUT_MS,
      throwOnRequestTimeout: true,
    },
    ...(region !== undefined && { region }),
    ...(endpoint !== undefined && { endpoint }),
    ...(credentials !== undefined && { credentials }),
  });
}
