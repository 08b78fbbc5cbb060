/** The configuration of a client of AWS: where the service is, and how hard the client tries. */

/** Where a service is, and with which credentials a client calls it. */
export interface ServiceAddress {
  /** Default: the region of the environment. */
  readonly region?: string;
  /** An endpoint other than AWS, such as an emulator. */
  readonly endpoint?: string;
  /** Default: the credentials of the environment. */
  readonly credentials?: { readonly accessKeyId: string; readonly secretAccessKey: string };
}

/** How hard a client tries. */
export interface ClientEffort {
  readonly attemptsMax: number;
  /** The most requests at a time; the client's own default is 50. */
  readonly socketsMax: number;
  readonly connectTimeoutMs?: number;
  readonly requestTimeoutMs?: number;
}

/** The services answer within milliseconds; after these times a retry is faster than waiting. */
const CONNECT_TIMEOUT_MS = 1_000;
const REQUEST_TIMEOUT_MS = 3_000;

/** @returns what the constructors of the clients take */
export function clientConfig(address: ServiceAddress, effort: ClientEffort) {
  const agent = { maxSockets: effort.socketsMax, keepAlive: true };
  return {
    maxAttempts: effort.attemptsMax,
    requestHandler: {
      connectionTimeout: effort.connectTimeoutMs ?? CONNECT_TIMEOUT_MS,
      requestTimeout: effort.requestTimeoutMs ?? REQUEST_TIMEOUT_MS,
      throwOnRequestTimeout: true,
      httpAgent: agent,
      httpsAgent: agent,
    },
    ...addressConfig(address),
  };
}

/** @returns the members of the address that are given, as the constructors of the clients take them */
export function addressConfig({ region, endpoint, credentials }: ServiceAddress): ServiceAddress {
  return {
    ...(region !== undefined && { region }),
    ...(endpoint !== undefined && { endpoint }),
    ...(credentials !== undefined && { credentials }),
  };
}
