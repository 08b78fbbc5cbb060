/**
 * The keys of an environment in SSM parameters. A function creates them during deployment, because no template may
 * contain them, and claims the table, so that no function that takes requests may write there what decides about the table.
 */
import { ArnFormat, CustomResource, Stack, type RemovalPolicy } from "aws-cdk-lib";
import type { PolicyStatement } from "aws-cdk-lib/aws-iam";
import type { IKey } from "aws-cdk-lib/aws-kms";
import type { RetentionDays } from "aws-cdk-lib/aws-logs";
import { Construct } from "constructs";
import { bundledFunction } from "./bundled-function.ts";
import { TABLE_FORMAT } from "../../shared/config/table-facts.ts";
import { encrypting, granting, tableStatements } from "./grants.ts";
import type { AnyTable } from "../resources/table.ts";
import { DEPLOY_TIMEOUT } from "../resources/time-outs.ts";

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
  /** The table that the environment claims: its format, and a digest of its secret. */
  readonly table: AnyTable;
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
    const { environment, signingKey, measuredAs, encryptionKey, keepsData, table } = props;
    this.path = `/stepwell/${environment}`;
    const resources = [this.#arn("id-secret"), this.#arn("signing-key-*")];
    this.reading = granting("readsKeys", resources);
    // Overwriting a key would lose it like a deletion.
    const making = granting("makesKeys", resources, { StringNotEquals: { "ssm:Overwrite": "true" } });
    const removing = granting("removesKeys", resources);
    const claiming = (["readsItems", "writesItems"] as const).flatMap((right) => tableStatements("keys", right, table));
    const maker = bundledFunction(this, "Keys", {
      ...props,
      timeout: DEPLOY_TIMEOUT,
      grants: [
        this.reading,
        making,
        ...(keepsData ? [] : [removing]),
        ...claiming,
        ...(encryptionKey === undefined ? [] : [encrypting(this, encryptionKey, ["ssm", "dynamodb"])]),
      ],
    });
    this.made = new CustomResource(this, "Made", {
      serviceToken: maker.functionArn,
      resourceType: "Custom::StepwellKeys",
      serviceTimeout: DEPLOY_TIMEOUT,
      properties: {
        Path: this.path,
        SigningKey: String(signingKey),
        // The function claims the table for this environment, again if the stack gets another table, and raises its format if a
        // new version writes another one.
        Table: table.tableName,
        Format: String(TABLE_FORMAT),
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
