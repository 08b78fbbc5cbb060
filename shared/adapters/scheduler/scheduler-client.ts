/** Creates the Scheduler client that the timers of one process share. */
import { SchedulerClient } from "@aws-sdk/client-scheduler";

const SOCKETS_MAX = 128;
const CONNECT_TIMEOUT_MS = 1_000;
const REQUEST_TIMEOUT_MS = 3_000;
/** Smaller Regions allow only some hundreds of creations a second, so a throttled creation gets more tries than usual. */
const ATTEMPTS_MAX = 6;

export interface SchedulerClientOptions {
  /** Default: the region of the environment. */
  readonly region?: string;
  /** The address of an emulator; default: AWS. */
  readonly endpoint?: string;
  /** Default: the credentials of the environment. */
  readonly credentials?: { readonly accessKeyId: string; readonly secretAccessKey: string };
}

export function schedulerClient({ region, endpoint, credentials }: SchedulerClientOptions = {}): SchedulerClient {
  const agent = { maxSockets: SOCKETS_MAX, keepAlive: true };
  return new SchedulerClient({
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
