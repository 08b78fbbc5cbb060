/** Gets temporary credentials of another role, under which the control plane then calls functions. */
import { AssumeRoleCommand, STSClient } from "@aws-sdk/client-sts";
import type { STSClientConfig } from "@aws-sdk/client-sts";

const SESSION_NAME = "stepwell";
const DURATION_S = 3_600;

export interface TemporaryCredentials {
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
