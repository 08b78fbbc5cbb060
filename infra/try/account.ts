/** Where it is tried: the account and Region that the credentials lead to, seen before anything is made. */
import { GetParameterCommand, SSMClient } from "@aws-sdk/client-ssm";
import { GetCallerIdentityCommand, STSClient } from "@aws-sdk/client-sts";
import { CommandFailure } from "../../functions/cli/command-failure.ts";
import { awsFailure } from "./aws-failure.ts";
import { EXIT_NOT_TRIED } from "./exit-codes.ts";

export interface Account {
  readonly id: string;
  readonly callerArn: string;
  readonly region: string;
}

/** What `cdk bootstrap` leaves for those who ask whether it has been. */
const BOOTSTRAP_PARAMETER = "/cdk-bootstrap/hnb659fds/version";

/** Makes every part of this process and each that it starts turn to the same place. */
export function turnTo({ profile, region }: { readonly profile?: string; readonly region?: string }): void {
  if (profile !== undefined) process.env["AWS_PROFILE"] = profile;
  const chosen = region ?? process.env["AWS_REGION"] ?? process.env["AWS_DEFAULT_REGION"];
  if (chosen !== undefined) process.env["AWS_REGION"] = process.env["AWS_DEFAULT_REGION"] = chosen;
}

/** @throws CommandFailure without credentials, without a Region, or where AWS refuses them */
export async function findAccount(): Promise<Account> {
  const sts = new STSClient({});
  try {
    const region = await sts.config.region();
    turnTo({ region });
    const { Account: id, Arn: callerArn } = await sts.send(new GetCallerIdentityCommand({}));
    if (id === undefined || callerArn === undefined) throw new Error("AWS does not say whose credentials they are");
    return { id, callerArn, region };
  } catch (error) {
    throw awsFailure("AWS does not say whose credentials they are", error);
  } finally {
    sts.destroy();
  }
}

/** @throws CommandFailure where it is known that the CDK has nothing here to deploy with */
export async function requireBootstrap({ id, region }: Account): Promise<void> {
  const ssm = new SSMClient({});
  try {
    await ssm.send(new GetParameterCommand({ Name: BOOTSTRAP_PARAMETER }));
  } catch (error) {
    const { name } = error as Error;
    // Who may not look may still deploy, and the CDK tells what it lacks.
    if (/AccessDenied/.test(name)) return;
    if (name !== "ParameterNotFound") throw awsFailure("AWS does not say whether the CDK is at home there", error);
    throw new CommandFailure("The CDK is not at home in this account and Region", {
      exitCode: EXIT_NOT_TRIED,
      cause: `the parameter ${BOOTSTRAP_PARAMETER} is not there`,
      fix: `Run \`npx cdk bootstrap aws://${id}/${region}\` once, with rights of an administrator; it costs nothing but the code that is kept.`,
    });
  } finally {
    ssm.destroy();
  }
}
