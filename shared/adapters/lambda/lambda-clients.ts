/** The clients that the endpoints of one process share: one for each region and role, because an ARN says where its function is. */
import { LambdaClient } from "@aws-sdk/client-lambda";
import { assumedRole } from "./assumed-role.ts";

/** A worker waits for its whole batch and the children of that batch at once. */
const SOCKETS_MAX = 1_024;
const CONNECT_TIMEOUT_MS = 2_000;
/** A function runs for 900 s at most: whatever takes longer is lost, and nothing shorter may be cut off by us. */
const REQUEST_TIMEOUT_MS = 910_000;

export interface LambdaClientsOptions {
  /** Another service than AWS's, such as an emulator. */
  readonly endpoint?: string;
  /** The environment's credentials unless told. */
  readonly credentials?: { readonly accessKeyId: string; readonly secretAccessKey: string };
  /** Told to roles that are assumed; nothing unless given. */
  readonly externalId?: string;
  /** The value of the tag `stepwell` that permits calls; without it, errors about refused calls suggest no tag. */
  readonly handlerTag?: string;
  /** What a call may take in all; a little more than the longest that a function can run unless told. */
  readonly requestTimeoutMs?: number;
}

export class LambdaClients {
  readonly #options: LambdaClientsOptions;
  readonly #clients = new Map<string, LambdaClient>();

  constructor(options: LambdaClientsOptions = {}) {
    this.#options = options;
  }

  /** @param roleArn the role as which functions are called; the environment's own unless given */
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
      // A call that is repeated runs the handler again: whether and when that happens is the engine's to decide.
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
    // Without this header each call begins a trace of its own. With it Lambda takes the steps of one long invocation for a
    // loop, and stops the function of somebody who never asked to be called in circles.
    client.middlewareStack.remove("recursionDetectionMiddleware");
    this.#clients.set(name, client);
    return client;
  }

  close(): void {
    for (const client of this.#clients.values()) client.destroy();
    this.#clients.clear();
  }
}
