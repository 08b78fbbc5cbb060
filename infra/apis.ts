/** The two doors: the ingress, where handlers are called, and the admin API, where nobody comes in without IAM. */
import { Stack } from "aws-cdk-lib";
import { HttpApi, HttpNoneAuthorizer } from "aws-cdk-lib/aws-apigatewayv2";
import { HttpIamAuthorizer, HttpJwtAuthorizer } from "aws-cdk-lib/aws-apigatewayv2-authorizers";
import { HttpLambdaIntegration } from "aws-cdk-lib/aws-apigatewayv2-integrations";
import type { Function as LambdaFunction } from "aws-cdk-lib/aws-lambda";
import { Construct } from "constructs";

export interface IngressApiProps {
  readonly ingress: LambdaFunction;
  readonly auth: IngressAuth;
}

/** Who may call handlers from outside: everybody, whom IAM lets in, or who brings a token of one issuer for one of these audiences. */
export type IngressAuth =
  | "open"
  | "iam"
  | { readonly jwt: { readonly issuer: string; readonly audiences: readonly string[] } };

export class IngressApi extends Construct {
  readonly url: string;

  constructor(scope: Construct, id: string, { ingress, auth }: IngressApiProps) {
    super(scope, id);
    const api = new HttpApi(this, "Api", {
      defaultIntegration: new HttpLambdaIntegration("Ingress", ingress),
      defaultAuthorizer: authorizerOf(auth),
    });
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

export class AdminApi extends Construct implements AdminApiReference {
  readonly url: string;
  readonly arn: string;

  constructor(scope: Construct, id: string, { admin }: { readonly admin: LambdaFunction }) {
    super(scope, id);
    const api = new HttpApi(this, "Api", {
      defaultIntegration: new HttpLambdaIntegration("Admin", admin),
      defaultAuthorizer: new HttpIamAuthorizer(),
    });
    this.url = api.apiEndpoint;
    this.arn = Stack.of(this).formatArn({ service: "execute-api", resource: api.apiId });
  }
}
