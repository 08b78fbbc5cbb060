/** Extends the policy of a customer's key, so that CloudWatch Logs may encrypt log groups with it. */
import { Annotations, ArnFormat, CfnResource, Stack } from "aws-cdk-lib";
import { PolicyStatement, ServicePrincipal } from "aws-cdk-lib/aws-iam";
import type { IKey } from "aws-cdk-lib/aws-kms";
import { CfnLogGroup } from "aws-cdk-lib/aws-logs";
import type { Construct, IConstruct } from "constructs";

/**
 * Allows CloudWatch Logs to use the key for every log group below `scope`, and for no other. A stack cannot extend the
 * policy of an imported key: it warns, and its deployment fails until the key's owner has extended the policy.
 * @param scope a construct to which no log group is added later
 */
export function allowLogEncryption(scope: Construct, key: IKey): void {
  const groups = scope.node.findAll().filter(isLogGroup);
  const { statementAdded } = key.addToResourcePolicy(
    new PolicyStatement({
      principals: [new ServicePrincipal(`logs.${Stack.of(scope).region}.amazonaws.com`)],
      actions: ["kms:Encrypt", "kms:Decrypt", "kms:ReEncrypt*", "kms:GenerateDataKey*", "kms:DescribeKey"],
      resources: ["*"],
      conditions: { ArnLike: { "kms:EncryptionContext:aws:logs:arn": groups.map(arnToBe) } },
    }),
  );
  if (statementAdded) return;
  Annotations.of(scope).addWarningV2(
    "stepwell:key-for-logs",
    "encryptionKey: a stack cannot change the policy of an imported key. Without a policy that lets CloudWatch Logs use the key for the log groups of this stack, CloudFormation cannot create these groups: docs/operating/aws.md has the statement",
  );
}

function isLogGroup(one: IConstruct): one is CfnLogGroup {
  return CfnResource.isCfnResource(one) && one.cfnResourceType === CfnLogGroup.CFN_RESOURCE_TYPE_NAME;
}

/**
 * A pattern for the group's ARN, with a `*` for the generated suffix. A reference to the ARN would be circular: the
 * group depends on the key. The name of a nested stack begins with that of its parent stack.
 */
function arnToBe(group: CfnLogGroup): string {
  const { stack, logicalId } = group;
  let outermost = stack;
  while (outermost.nestedStackParent !== undefined) outermost = outermost.nestedStackParent;
  const within = outermost === stack ? "" : "*-";
  return stack.formatArn({
    service: "logs",
    resource: "log-group",
    resourceName: `${outermost.stackName}-${within}${logicalId}-*`,
    arnFormat: ArnFormat.COLON_RESOURCE_NAME,
  });
}
