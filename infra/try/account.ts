/** Determines the account and Region of the trial, and checks that the CDK is bootstrapped there. */
import { GetParameterCommand, SSMClient } from "@aws-sdk/client-ssm";
import { GetCallerIdentityCommand, STSClient } from "@aws-sdk/client-sts";
import { CommandFailure } from "../../functions/cli/text/command-failure.ts";
import { awsFailure } from "./aws-failure.ts";
import { EXIT_NOT_TRIED } from "./exit-codes.ts";

export interface Account {
  readonly id: string;
  readonly callerArn: string;
  readonly region: string;
}

/** The parameter by which `cdk bootstrap` marks a bootstrapped Region. */
const BOOTSTRAP_PARAMETER = "/cdk-bootstrap/hnb659fds/version";

/** Sets profile and Region for this process and its child processes. */
export function turnTo({ profile, region }: { readonly profile?: string; readonly region?: string }): void {
  if (profile !== undefined) process.env["AWS_PROFILE"] = profile;
  const chosen = region ?? process.env["AWS_REGION"] ?? process.env["AWS_DEFAULT_REGION"];
  if (chosen !== undefined) process.env["AWS_REGION"] = process.env["AWS_DEFAULT_REGION"] = chosen;
}

/** @throws CommandFailure without credentials or a Region, or if AWS refuses the credentials */
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

/** @throws CommandFailure if the account and Region are certainly not bootstrapped */
export async function requireBootstrap({ id, region }: Account): Promise<void> {
  const ssm = new SSMClient({});
  try {
    await ssm.send(new GetParameterCommand({ Name: BOOTSTRAP_PARAMETER }));
  } catch (error) {
    const { name } = error as Error;
    // A caller without this permission may still deploy, and the CDK reports a missing bootstrap itself.
    if (/AccessDenied/.test(name)) return;
    if (name !== "ParameterNotFound") throw awsFailure("AWS does not say whether the CDK is bootstrapped", error);
    throw new CommandFailure("The CDK is not bootstrapped in this account and Region", {
      exitCode: EXIT_NOT_TRIED,
      cause: `the parameter ${BOOTSTRAP_PARAMETER} is not there`,
      fix: `Run \`npx cdk bootstrap aws://${id}/${region}\` once, with rights of an administrator; it costs nothing but the code that is kept.`,
    });
  } finally {
    ssm.destroy();
  }
}
