/** Credentials of another role, for functions that are called as one: fetched from STS and, by the SDK, again before they end. */
import { AssumeRoleCommand, STSClient } from "@aws-sdk/client-sts";
import type { STSClientConfig } from "@aws-sdk/client-sts";

const SESSION_NAME = "stepwell";
const DURATION_S = 3_600;

export interface TemporaryCredentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken: string;
  /** The SDK asks again some minutes before this. */
  readonly expiration: Date;
}

/**
 * @param externalId what the role's trust may ask for, so that nobody else's control plane is taken for this one
 * @throws Error where STS refuses, or answers without credentials
 */
export function assumedRole(
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
