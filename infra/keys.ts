/**
 * The keys of an environment in SSM parameters. A function creates them during deployment, because no template may
 * contain them.
 */
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
  /** The parameters are below `/stepwell/<environment>`. */
  readonly environment: string;
  readonly signingKey: number;
  /** The environment's name in metrics; absent if the functions write none. */
  readonly measuredAs?: string;
  readonly encryptionKey?: IKey;
  readonly logRetention: RetentionDays;
  readonly removalPolicy: RemovalPolicy;
  /** Whether the table can outlive the stack. The keys then stay too: without the secret for its ids the table is useless. */
  readonly keepsData: boolean;
}

export class EnvironmentKeys extends Construct {
  readonly path: string;
  /** In the format for configuring deployments, which trust both keys, so that one key can replace the other. */
  readonly publicKeys: { readonly current: string; readonly next: string };
  /** Consumers of the keys must depend on this resource. */
  readonly made: CustomResource;
  /** The grant for functions that read the keys. */
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
      // Overwriting a key would lose it like a deletion.
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
        // A table that outlives the stack keeps its journals, and their invocations cannot continue without the keys.
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
