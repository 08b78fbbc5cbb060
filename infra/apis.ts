/** The two doors: the ingress, where handlers are called, and the admin API, where nobody comes in without IAM. */
import { HttpApi, HttpNoneAuthorizer } from "aws-cdk-lib/aws-apigatewayv2";
import { HttpIamAuthorizer } from "aws-cdk-lib/aws-apigatewayv2-authorizers";
import { HttpLambdaIntegration } from "aws-cdk-lib/aws-apigatewayv2-integrations";
import type { Function as LambdaFunction } from "aws-cdk-lib/aws-lambda";
import { Construct } from "constructs";

export interface IngressApiProps {
  readonly ingress: LambdaFunction;
  readonly auth: "open" | "iam";
}

export class IngressApi extends Construct {
  readonly url: string;

  constructor(scope: Construct, id: string, { ingress, auth }: IngressApiProps) {
    super(scope, id);
    const api = new HttpApi(this, "Api", {
      defaultIntegration: new HttpLambdaIntegration("Ingress", ingress),
      defaultAuthorizer: auth === "iam" ? new HttpIamAuthorizer() : new HttpNoneAuthorizer(),
    });
    this.url = api.apiEndpoint;
  }
}

export class AdminApi extends Construct {
  readonly url: string;

  constructor(scope: Construct, id: string, { admin }: { readonly admin: LambdaFunction }) {
    super(scope, id);
    const api = new HttpApi(this, "Api", {
      defaultIntegration: new HttpLambdaIntegration("Admin", admin),
      defaultAuthorizer: new HttpIamAuthorizer(),
    });
    this.url = api.apiEndpoint;
  }
}
