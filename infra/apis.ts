/** The two doors: the ingress, where handlers are called, and the admin API, where nobody comes in without IAM. */
import type { RemovalPolicy } from "aws-cdk-lib";
import { Stack } from "aws-cdk-lib";
import type { CfnStage } from "aws-cdk-lib/aws-apigatewayv2";
import { HttpApi, HttpNoneAuthorizer } from "aws-cdk-lib/aws-apigatewayv2";
import { HttpIamAuthorizer, HttpJwtAuthorizer } from "aws-cdk-lib/aws-apigatewayv2-authorizers";
import { HttpLambdaIntegration } from "aws-cdk-lib/aws-apigatewayv2-integrations";
import type { IKey } from "aws-cdk-lib/aws-kms";
import type { Function as LambdaFunction, IFunction } from "aws-cdk-lib/aws-lambda";
import type { RetentionDays } from "aws-cdk-lib/aws-logs";
import { LogGroup } from "aws-cdk-lib/aws-logs";
import { Construct } from "constructs";
import { acknowledgeOpenIngress, acknowledgeUnloggedIngress } from "./acknowledged.ts";

export interface IngressApiProps {
  /** Tells this API from those of other environments in the account's list of APIs. */
  readonly environment: string;
  readonly ingress: IFunction;
  readonly auth: IngressAuth;
}

/** Who may call handlers from outside: everybody, whom IAM lets in, or who brings a token of one issuer for one of these audiences. */
export type IngressAuth =
  | "open"
  | "iam"
  | { readonly jwt: { readonly issuer: string; readonly audiences: readonly string[] } };

export class IngressApi extends Construct {
  readonly url: string;

  constructor(scope: Construct, id: string, { environment, ingress, auth }: IngressApiProps) {
    super(scope, id);
    const api = new HttpApi(this, "Api", {
      apiName: `${environment}-ingress`,
      defaultIntegration: new HttpLambdaIntegration("Ingress", ingress),
      defaultAuthorizer: authorizerOf(auth),
    });
    if (auth === "open") acknowledgeOpenIngress(api);
    acknowledgeUnloggedIngress(api);
    this.url = api.apiEndpoint;
  }
}

function authorizerOf(auth: IngressAuth) {
  if (auth === "open") return new HttpNoneAuthorizer();
  if (auth === "iam") return new HttpIamAuthorizer();
  return new HttpJwtAuthorizer("Jwt", auth.jwt.issuer, { jwtAudience: [...auth.jwt.audiences] });
}

/** An admin API, of this stack or another one. */
export interface AdminApiReference {
  readonly url: string;
  /** What IAM judges who may come in by, without its stage and routes: `arn:aws:execute-api:<region>:<account>:<api>`. */
  readonly arn: string;
}

export interface AdminApiProps {
  /** Tells this API from those of other environments in the account's list of APIs. */
  readonly environment: string;
  readonly admin: LambdaFunction;
  readonly logRetention: RetentionDays;
  /** Of the access log; AWS's own key unless told. */
  readonly encryptionKey?: IKey;
  readonly removalPolicy: RemovalPolicy;
}

/** Who asked for what, and how it ended: of operators that is worth a line each. */
const ACCESS_LOG = {
  at: "$context.requestTime",
  caller: "$context.identity.userArn",
  address: "$context.identity.sourceIp",
  method: "$context.httpMethod",
  path: "$context.path",
  status: "$context.status",
  error: "$context.error.message",
  requestId: "$context.requestId",
};

export class AdminApi extends Construct implements AdminApiReference {
  readonly url: string;
  readonly arn: string;

  constructor(scope: Construct, id: string, props: AdminApiProps) {
    super(scope, id);
    const { environment, admin, logRetention, encryptionKey, removalPolicy } = props;
    const api = new HttpApi(this, "Api", {
      apiName: `${environment}-admin`,
      defaultIntegration: new HttpLambdaIntegration("Admin", admin),
      defaultAuthorizer: new HttpIamAuthorizer(),
    });
    const log = new LogGroup(this, "AccessLog", {
      retention: logRetention,
      removalPolicy,
      ...(encryptionKey !== undefined && { encryptionKey }),
    });
    const stage = api.defaultStage!.node.defaultChild as CfnStage;
    stage.accessLogSettings = { destinationArn: log.logGroupArn, format: JSON.stringify(ACCESS_LOG) };
    this.url = api.apiEndpoint;
    this.arn = Stack.of(this).formatArn({ service: "execute-api", resource: api.apiId });
  }
}
