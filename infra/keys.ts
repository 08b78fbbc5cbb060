/** The keys of an environment: SSM parameters that a function makes while the stack is deployed, because no template may hold them. */
import type { RemovalPolicy } from "aws-cdk-lib";
import { ArnFormat, CustomResource, Stack } from "aws-cdk-lib";
import { PolicyStatement } from "aws-cdk-lib/aws-iam";
import type { IKey } from "aws-cdk-lib/aws-kms";
import type { RetentionDays } from "aws-cdk-lib/aws-logs";
import { Construct } from "constructs";
import { bundledFunction } from "./bundled-function.ts";
import { encrypting } from "./grants.ts";
import { DEPLOY_TIMEOUT } from "./time-outs.ts";

export interface EnvironmentKeysProps {
  readonly codeFolder: string;
  /** The parameters stand below `/stepwell/<environment>`. */
  readonly environment: string;
  readonly signingKey: number;
  /** As functions name the environment in their metrics; absent where they write none. */
  readonly measuredAs?: string;
  readonly encryptionKey?: IKey;
  readonly logRetention: RetentionDays;
  readonly removalPolicy: RemovalPolicy;
  /** Whether the table can outlive the stack: it is useless without the secret of its ids. */
  readonly keepsData: boolean;
}

export class EnvironmentKeys extends Construct {
  readonly path: string;
  /** In the form in which deployments are given them; while one key is exchanged for the next they trust both. */
  readonly publicKeys: { readonly current: string; readonly next: string };
  /** What reads the keys stands behind this. */
  readonly made: CustomResource;
  /** For those who read them. */
  readonly reading: PolicyStatement;

  constructor(scope: Construct, id: string, props: EnvironmentKeysProps) {
    super(scope, id);
    const { environment, signingKey, measuredAs, encryptionKey, keepsData } = props;
    this.path = `/stepwell/${environment}`;
    const resources = [this.#arn("id-secret"), this.#arn("signing-key-*")];
    this.reading = new PolicyStatement({ actions: ["ssm:GetParameter"], resources });
    const making = new PolicyStatement({
      actions: ["ssm:PutParameter"],
      resources,
      // An overwritten key is as lost as a deleted one.
      conditions: { StringNotEquals: { "ssm:Overwrite": "true" } },
    });
    const removing = new PolicyStatement({ actions: ["ssm:DeleteParameter"], resources });
    const maker = bundledFunction(this, "Keys", {
      ...props,
      timeout: DEPLOY_TIMEOUT,
      grants: [
        this.reading,
        making,
        ...(keepsData ? [] : [removing]),
        ...(encryptionKey === undefined ? [] : [encrypting(this, encryptionKey, ["ssm"])]),
      ],
    });
    this.made = new CustomResource(this, "Made", {
      serviceToken: maker.functionArn,
      resourceType: "Custom::StepwellKeys",
      serviceTimeout: DEPLOY_TIMEOUT,
      properties: {
        Path: this.path,
        SigningKey: String(signingKey),
        // What was journaled stays with the table, and cannot go on without its keys.
        Keep: String(keepsData),
        ...(measuredAs !== undefined && { MeasuredAs: measuredAs }),
        ...(encryptionKey !== undefined && { KmsKeyId: encryptionKey.keyArn }),
      },
    });
    this.made.node.addDependency(maker);
    this.publicKeys = {
      current: this.made.getAttString("CurrentPublicKey"),
      next: this.made.getAttString("NextPublicKey"),
    };
  }

  #arn(name: string): string {
    return Stack.of(this).formatArn({
      service: "ssm",
      resource: "parameter",
      resourceName: `${this.path.slice(1)}/${name}`,
      arnFormat: ArnFormat.SLASH_RESOURCE_NAME,
    });
  }
}
