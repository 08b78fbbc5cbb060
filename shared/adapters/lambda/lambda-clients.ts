/** The Lambda clients of one process, one for each region and role; the ARN of a function names its region. */
import { LambdaClient } from "@aws-sdk/client-lambda";
import { addressConfig, clientConfig, type ServiceAddress } from "../aws-clients/client-config.ts";
import { AssumeRoleCommand, STSClient, type STSClientConfig } from "@aws-sdk/client-sts";

/** Enough for the concurrent calls of one worker: the calls of all invocations of its batch, and of their children. */
const SOCKETS_MAX = 1_024;
const CONNECT_TIMEOUT_MS = 2_000;
/** A repeated call runs the handler again, so only the engine decides about retries. */
const ATTEMPTS_MAX = 1;
/** A function runs for at most 900 s: a longer call is lost, and a shorter one must not be cut off. */
const REQUEST_TIMEOUT_MS = 910_000;

export interface LambdaClientsOptions extends Omit<ServiceAddress, "region"> {
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
    const address = { ...this.#options, region };
    const config = clientConfig(address, {
      attemptsMax: ATTEMPTS_MAX,
      socketsMax: SOCKETS_MAX,
      connectTimeoutMs: CONNECT_TIMEOUT_MS,
      requestTimeoutMs: this.#options.requestTimeoutMs ?? REQUEST_TIMEOUT_MS,
    });
    const assumed = roleArn !== undefined && {
      credentials: assumedRole(roleArn, addressConfig(address), this.#options.externalId),
    };
    const client = new LambdaClient({ ...config, ...assumed });
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

/** Gets temporary credentials of another role, under which the control plane then calls functions. */
const SESSION_NAME = "stepwell";
const DURATION_S = 3_600;

interface TemporaryCredentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken: string;
  /** The SDK requests new credentials some minutes before this moment. */
  readonly expiration: Date;
}

/**
 * @param externalId a value that the role's trust policy can demand, so that no other control plane can use the role
 * @returns a function that requests credentials; the SDK calls it again to renew them. It throws an Error if STS refuses
 * or answers without credentials
 */
function assumedRole(
  roleArn: string,
  config: STSClientConfig,
  externalId?: string,
): () => Promise<TemporaryCredentials> {
  const client = new STSClient(config);
  return async () => {
    const { Credentials: given } = await client.send(
      new AssumeRoleCommand({
        RoleArn: roleArn,
        RoleSessionName: SESSION_NAME,
        DurationSeconds: DURATION_S,
        ...(externalId !== undefined && { ExternalId: externalId }),
      }),
    );
    const { AccessKeyId, SecretAccessKey, SessionToken, Expiration } = given ?? {};
    if (!AccessKeyId || !SecretAccessKey || !SessionToken || !Expiration) {
      throw new Error(`STS gave no credentials for the role '${roleArn}'`);
    }
    return {
      accessKeyId: AccessKeyId,
      secretAccessKey: SecretAccessKey,
      sessionToken: SessionToken,
      expiration: Expiration,
    };
  };
}
