/** The network of the functions, to reach deployments at private addresses or to send from a known address. */
import { SecurityGroup, type ISecurityGroup, type IVpc, type SubnetSelection, type Vpc } from "aws-cdk-lib/aws-ec2";
import type { Construct } from "constructs";

/** The types also allow the classes, because TypeScript in strict mode does not accept `Vpc` as `IVpc`, for example. */
export interface NetworkProps {
  readonly vpc?: IVpc | Vpc;
  readonly vpcSubnets?: SubnetSelection;
  readonly securityGroups?: readonly (ISecurityGroup | SecurityGroup)[];
}

/** The network properties of a CDK function. */
export interface FunctionNetwork {
  readonly vpc: IVpc;
  readonly vpcSubnets?: SubnetSelection;
  readonly securityGroups: ISecurityGroup[];
}

/**
 * By default the functions share one security group, so that the firewall of a deployment can admit that group.
 * @param scope the parent of the group
 * @returns undefined if the functions stay in Lambda's own network
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
