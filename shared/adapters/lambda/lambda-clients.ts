/** The Lambda clients of one process, one for each region and role; the ARN of a function names its region. */
import { LambdaClient } from "@aws-sdk/client-lambda";
import { assumedRole } from "./assumed-role.ts";

/** Enough for the concurrent calls of one worker: the calls of all invocations of its batch, and of their children. */
const SOCKETS_MAX = 1_024;
const CONNECT_TIMEOUT_MS = 2_000;
/** A function runs for at most 900 s: a longer call is lost, and a shorter one must not be cut off. */
const REQUEST_TIMEOUT_MS = 910_000;

export interface LambdaClientsOptions {
  /** An endpoint other than AWS, such as an emulator. */
  readonly endpoint?: string;
  /** Default: the credentials of the environment. */
  readonly credentials?: { readonly accessKeyId: string; readonly secretAccessKey: string };
  /** The external id for assumed roles; default none. */
  readonly externalId?: string;
  /** The value of the tag `stepwell` that permits calls; without it, errors about refused calls suggest no tag. */
  readonly handlerTag?: string;
  /** The limit of one call; by default a little more than the longest run of a function. */
  readonly requestTimeoutMs?: number;
}

export class LambdaClients {
  readonly #options: LambdaClientsOptions;
  readonly #clients = new Map<string, LambdaClient>();

  constructor(options: LambdaClientsOptions = {}) {
    this.#options = options;
  }

  /** @param roleArn the role under which functions are called; default the role of the environment */
  of(region: string, roleArn?: string): LambdaClient {
    const name = `${region} ${roleArn ?? ""}`;
    const known = this.#clients.get(name);
    if (known !== undefined) return known;
    const { endpoint, credentials: own, requestTimeoutMs = REQUEST_TIMEOUT_MS } = this.#options;
    const ground = {
      region,
      ...(endpoint !== undefined && { endpoint }),
      ...(own !== undefined && { credentials: own }),
    };
    const credentials = roleArn === undefined ? own : assumedRole(roleArn, ground, this.#options.externalId);
    const agent = { maxSockets: SOCKETS_MAX, keepAlive: true };
    const client = new LambdaClient({
      region,
      // A repeated call runs the handler again, so only the engine decides about retries.
      maxAttempts: 1,
      requestHandler: {
        connectionTimeout: CONNECT_TIMEOUT_MS,
        requestTimeout: requestTimeoutMs,
        throwOnRequestTimeout: true,
        httpAgent: agent,
        httpsAgent: agent,
      },
      ...(endpoint !== undefined && { endpoint }),
      ...(credentials !== undefined && { credentials }),
    });
    // The middleware adds a header. With it, Lambda mistakes the steps of one long invocation for a recursive loop and
    // stops the user's function. Without it, each call begins a separate trace.
    client.middlewareStack.remove("recursionDetectionMiddleware");
    this.#clients.set(name, client);
    return client;
  }

  close(): void {
    for (const client of this.#clients.values()) client.destroy();
    this.#clients.clear();
  }
}
