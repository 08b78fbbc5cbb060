/**
 * The single table. It contains invocations, objects with their state, deployments, and a record of the secret from
 * which ids are derived.
 */
import type { RemovalPolicy } from "aws-cdk-lib";
import {
  AttributeType,
  Billing,
  ProjectionType,
  TableEncryptionV2,
  TableV2,
  type ITable,
  type Table,
} from "aws-cdk-lib/aws-dynamodb";
import type { IKey } from "aws-cdk-lib/aws-kms";
import { Construct } from "constructs";
import { INDEX_FACTS, TABLE_FACTS } from "../../shared/config/table-facts.ts";

const text = (name: string) => ({ name, type: AttributeType.STRING });

/** The type includes the interface and its classes, because in strict mode the classes do not match the interface. */
export type AnyTable = ITable | Table | TableV2;

export interface TableProps {
  readonly removalPolicy: RemovalPolicy;
  readonly deletionProtection: boolean;
  /** The default is AWS's own key. */
  readonly encryptionKey?: IKey;
}

export class InvocationTable extends Construct {
  readonly table: TableV2;

  constructor(scope: Construct, id: string, { removalPolicy, deletionProtection, encryptionKey }: TableProps) {
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
      ...(encryptionKey !== undefined && { encryption: TableEncryptionV2.customerManagedKey(encryptionKey) }),
      deletionProtection,
      removalPolicy,
    });
  }
}
