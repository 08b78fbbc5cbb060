/** The network that functions run in, where deployments are to be reached at private addresses or from known ones. */
import type { ISecurityGroup, IVpc, SubnetSelection, Vpc } from "aws-cdk-lib/aws-ec2";
import { SecurityGroup } from "aws-cdk-lib/aws-ec2";
import type { Construct } from "constructs";

/** The classes are named beside their interfaces because, read strictly, they do not fit them. */
export interface NetworkProps {
  readonly vpc?: IVpc | Vpc;
  readonly vpcSubnets?: SubnetSelection;
  readonly securityGroups?: readonly (ISecurityGroup | SecurityGroup)[];
}

/** As a function of the CDK takes it. */
export interface FunctionNetwork {
  readonly vpc: IVpc;
  readonly vpcSubnets?: SubnetSelection;
  readonly securityGroups: ISecurityGroup[];
}

/**
 * The functions share one security group unless others are given, so that the firewall of a deployment can let it in.
 * @param scope of that group
 * @returns undefined where functions stay in Lambda's own network
 */
export function networkOf(scope: Construct, environment: string, props: NetworkProps): FunctionNetwork | undefined {
  if (props.vpc === undefined) return undefined;
  const vpc = props.vpc as IVpc;
  const description = `Functions of Stepwell ${environment}, which call deployments`;
  const groups = props.securityGroups ?? [new SecurityGroup(scope, "SecurityGroup", { vpc, description })];
  const securityGroups = groups as readonly ISecurityGroup[];
  const { vpcSubnets } = props;
  return { vpc, securityGroups: [...securityGroups], ...(vpcSubnets !== undefined && { vpcSubnets }) };
}
