/** The access log of an HTTP API, with one line per request: caller, address, request and outcome. */
import type { RemovalPolicy } from "aws-cdk-lib";
import type { CfnStage } from "aws-cdk-lib/aws-apigatewayv2";
import type { IKey } from "aws-cdk-lib/aws-kms";
import { LogGroup, type RetentionDays } from "aws-cdk-lib/aws-logs";
import type { Construct } from "constructs";

export interface AccessLogProps {
  readonly logRetention: RetentionDays;
  /** The default is AWS's own key. */
  readonly encryptionKey?: IKey;
  readonly removalPolicy: RemovalPolicy;
}

/** The gateway's variable for the caller: the identity that IAM authenticated, or the subject of a token. */
export type CallerKnownBy = "identity.userArn" | "authorizer.claims.sub";

/** A line contains no bodies, no headers and no query strings. */
const lineOf = (callerKnownBy: CallerKnownBy) => ({
  at: "$context.requestTime",
  caller: `$context.${callerKnownBy}`,
  address: "$context.identity.sourceIp",
  method: "$context.httpMethod",
  path: "$context.path",
  status: "$context.status",
  error: "$context.error.message",
  requestId: "$context.requestId",
});

/** @param scope the construct that contains the API and will contain the log group */
export function logAccess(
  scope: Construct,
  stage: CfnStage,
  props: AccessLogProps,
  callerKnownBy: CallerKnownBy = "identity.userArn",
): void {
  const { logRetention, encryptionKey, removalPolicy } = props;
  const log = new LogGroup(scope, "AccessLog", {
    retention: logRetention,
    removalPolicy,
    ...(encryptionKey !== undefined && { encryptionKey }),
  });
  stage.accessLogSettings = { destinationArn: log.logGroupArn, format: JSON.stringify(lineOf(callerKnownBy)) };
}
