/** The one table: invocations, deployments and the environment's secret. */
import type { RemovalPolicy } from "aws-cdk-lib";
import { AttributeType, Billing, ProjectionType, TableV2 } from "aws-cdk-lib/aws-dynamodb";
import { Construct } from "constructs";
import { INDEX_FACTS, TABLE_FACTS } from "../shared/config/table-facts.ts";

const text = (name: string) => ({ name, type: AttributeType.STRING });

export class InvocationTable extends Construct {
  readonly table: TableV2;

  constructor(scope: Construct, id: string, { removalPolicy }: { readonly removalPolicy: RemovalPolicy }) {
    super(scope, id);
    this.table = new TableV2(this, "Table", {
      partitionKey: text(TABLE_FACTS.partitionKey),
      sortKey: text(TABLE_FACTS.sortKey),
      billing: Billing.onDemand(),
      timeToLiveAttribute: TABLE_FACTS.expiryAttribute,
      pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true },
      globalSecondaryIndexes: INDEX_FACTS.map(({ name, partitionKey, sortKey, shown }) => ({
        indexName: name,
        partitionKey: text(partitionKey),
        sortKey: text(sortKey),
        ...(shown.length === 0
          ? { projectionType: ProjectionType.KEYS_ONLY }
          : { projectionType: ProjectionType.INCLUDE, nonKeyAttributes: [...shown] }),
      })),
      removalPolicy,
    });
  }
}
