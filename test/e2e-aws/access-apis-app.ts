/**
 * A stack beside a control plane: two more APIs for the ingress of the control plane, behind IAM and behind JWT, and a
 * deployment that registers itself.
 */
import { App, CfnOutput, Stack } from "aws-cdk-lib";
import { Function as LambdaFunction } from "aws-cdk-lib/aws-lambda";
import { IngressApi } from "../../infra/apis.ts";
import { StepwellDeployment } from "../../infra/stepwell-deployment.ts";

const app = new App({ analyticsReporting: false });
const context = (name: string): string => String(app.node.getContext(name));

const stack = new Stack(app, context("name"));
const functionArn = stack.formatArn({
  service: "lambda",
  resource: `function:${context("ingress-function")}`,
});
const ingress = LambdaFunction.fromFunctionAttributes(stack, "Ingress", { functionArn, sameEnvironment: true });
const jwt = { issuer: context("issuer"), audiences: [context("audience")] };
const apis = {
  IamUrl: new IngressApi(stack, "Iam", { environment: stack.stackName, ingress, auth: "iam" }).url,
  JwtUrl: new IngressApi(stack, "Jwt", { environment: stack.stackName, ingress, auth: { jwt } }).url,
};
const { deploymentId } = new StepwellDeployment(stack, "Shop", {
  admin: {
    environment: stack.stackName,
    url: context("admin-url"),
    arn: stack.formatArn({ service: "execute-api", resource: context("admin-api") }),
  },
  codeFolder: context("code-folder"),
  handlers: { url: context("handlers") },
  removeOnDelete: true,
});
for (const [name, value] of Object.entries({ ...apis, DeploymentId: deploymentId })) {
  new CfnOutput(stack, name, { value });
}
