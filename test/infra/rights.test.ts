/** The templates grant each role exactly the rights of the table, and the table's partitions are those of the engine. */
import { schedulesPk } from "../../shared/engine/store/schedule-record.ts";
import { RemovalPolicy, Stack } from "aws-cdk-lib";
import type { Template } from "aws-cdk-lib/assertions";
import { Vpc } from "aws-cdk-lib/aws-ec2";
import { Key } from "aws-cdk-lib/aws-kms";
import { expect, test } from "vitest";
import { RIGHTS, ROLE_RIGHTS, type Right, type StackRole } from "../../infra/lambda/grants.ts";
import { StepwellDeployment } from "../../infra/stepwell-deployment.ts";
import type { StepwellProps } from "../../infra/stepwell.ts";
import {
  isWithin,
  PARTITIONS,
  TABLE_RIGHTS,
  type PartitionKind,
  type TableRole,
} from "../../shared/config/table-rights.ts";
import { notesPk, registryPk } from "../../shared/engine/register/registry-items.ts";
import { invocationPk, sweeperPk } from "../../shared/engine/store/item-keys.ts";
import { objectPk } from "../../shared/engine/store/object-keys.ts";
import { placesKey } from "../../shared/engine/store/pool-items.ts";
import { secretKey } from "../../shared/wiring/environment-secret.ts";
import { briefApp } from "./brief-app.ts";
import { resourceText } from "./resource-words.ts";
import { actionsOf, statementsOf, synthesised, type Statement } from "./synthesised.ts";

const ENV = { account: "111122223333", region: "eu-west-1" };
const elsewhere = new Stack(briefApp(), "Elsewhere", { env: ENV });
/** Every property that grants something. */
const EVERYTHING: Partial<StepwellProps> = {
  encryptionKey: Key.fromKeyArn(
    elsewhere,
    "Key",
    `arn:aws:kms:${ENV.region}:${ENV.account}:key/1c2d3e4f-5a6b-4c7d-8e9f-0a1b2c3d4e5f`,
  ),
  vpc: Vpc.fromVpcAttributes(elsewhere, "Vpc", {
    vpcId: "vpc-12345678",
    availabilityZones: ["eu-west-1a"],
    privateSubnetIds: ["subnet-1"],
  }),
  assumableRoleArns: [`arn:aws:iam::${ENV.account}:role/shop`],
  removalPolicy: RemovalPolicy.DESTROY,
  xray: true,
  kafkaClusters: [
    {
      name: "main",
      mskClusterArn: "arn:aws:kafka:eu-west-1:111122223333:cluster/shop/abcd-1",
      secretArn: "arn:aws:secretsmanager:eu-west-1:111122223333:secret:kafka-1",
    },
  ],
};
const withHandlers = (props: Partial<StepwellProps>) =>
  synthesised(props, (stepwell, codeFolder) => {
    const handlers = { url: "https://shop.example" };
    new StepwellDeployment(Stack.of(stepwell), "Shop", { admin: stepwell.admin, codeFolder, handlers });
  });
const [plain, full] = [withHandlers({}), withHandlers(EVERYTHING)];
const ROLES = Object.keys(ROLE_RIGHTS) as StackRole[];

function granted(template: Template, role: StackRole): readonly Statement[] {
  const name = role[0]!.toUpperCase() + role.slice(1);
  const policy = new RegExp(`${name}RoleDefaultPolicy|^StepwellSchedulesRole`);
  return statementsOf(template)
    .filter(({ id }) => policy.test(id) && (role === "schedules") === id.startsWith("StepwellSchedules"))
    .map(({ statement }) => statement);
}

/** The rights whose actions the statement grants, all of them and no others. */
function rightsOf(statement: Statement): readonly Right[] {
  const actions = actionsOf(statement).toSorted().join();
  return (Object.keys(RIGHTS) as Right[]).filter((right) => [...RIGHTS[right]].toSorted().join() === actions);
}

const onTable = ({ Resource }: Statement): boolean =>
  [Resource].flat().map(resourceText).includes("<StepwellInvocationsTable>");

test.each(ROLES)("%s has a statement for each of its rights, and no statement without a right", (role) => {
  const rights = ROLE_RIGHTS[role];
  for (const template of [plain, full]) {
    const without = granted(template, role).filter((one) => !rightsOf(one).some((right) => rights.includes(right)));
    expect(without).toEqual([]);
  }
  const found = granted(full, role).flatMap(rightsOf);
  expect(rights.filter((right) => !found.includes(right))).toEqual([]);
});

test("no policy belongs to a role that the table does not name", () => {
  const known = ROLES.flatMap((role) => granted(full, role));
  expect(known).toHaveLength(statementsOf(full).length);
});

test.each(Object.keys(TABLE_RIGHTS) as TableRole[])("%s reaches only the partitions of its rights", (role) => {
  const { reads, writes, deletes, queriesIndexes, scans } = TABLE_RIGHTS[role];
  const bound = (kinds: readonly PartitionKind[]) => ({
    "ForAllValues:StringLike": { "dynamodb:LeadingKeys": kinds.map((kind) => PARTITIONS[kind]) },
  });
  const expected = new Map<string, unknown>([
    [RIGHTS.readsItems.join(), bound(reads)],
    [RIGHTS.writesItems.join(), bound(writes)],
    ...(deletes.length > 0 ? [[RIGHTS.deletesItems.join(), bound(deletes)] as const] : []),
    // No condition can narrow a scan.
    ...(scans === true ? [[RIGHTS.scansTable.join(), undefined] as const] : []),
  ]);
  const statements = granted(full, role).filter((one) =>
    actionsOf(one).some((action) => action.startsWith("dynamodb:")),
  );
  const items = statements.filter(onTable);
  // A condition with one key is a text in the template.
  const plainly = (condition: unknown) => JSON.stringify(condition)?.replaceAll(/[[\]]/g, "");
  expect(new Map(items.map((one) => [actionsOf(one).join(), plainly(one.Condition)]))).toEqual(
    new Map([...expected].map(([actions, condition]) => [actions, plainly(condition)])),
  );
  const others = statements.filter((one) => !onTable(one));
  expect(others.map((one) => [one.Resource].flat().map(resourceText))).toEqual(
    queriesIndexes === true ? [["<StepwellInvocationsTable>/index/list", "<StepwellInvocationsTable>/index/open"]] : [],
  );
});

test("only the admin API and deployments of the stack write what decides about code, subscriptions and the table", () => {
  const writers = (kind: PartitionKind) =>
    (Object.keys(TABLE_RIGHTS) as TableRole[]).filter((role) => {
      const { writes, deletes } = TABLE_RIGHTS[role];
      return [...writes, ...deletes].includes(kind);
    });
  expect(writers("registry")).toEqual(["admin"]);
  expect([writers("secret"), writers("format")]).toEqual([["keys"], ["keys"]]);
  // Pauses and errors of subscriptions are in the partition of the subscriptions.
  expect(writers("kafka")).toEqual(["admin", "sweeper", "topics"]);
  expect((Object.keys(TABLE_RIGHTS) as TableRole[]).filter((role) => TABLE_RIGHTS[role].scans === true)).toEqual([
    "admin",
  ]);
});

test("each pattern matches the partitions that the engine makes, and no other kind's", () => {
  const made: Readonly<Record<PartitionKind, string>> = {
    invocations: invocationPk("", "inv_1"),
    objects: objectPk("", { service: "registry", key: "schema" }, (text) => text),
    pools: placesKey("", "acme", 1).pk,
    sweeper: sweeperPk(""),
    schedules: schedulesPk(""),
    positions: "topic#sub_1",
    registry: registryPk(""),
    notes: notesPk(""),
    kafka: "kafka",
    secret: secretKey("").pk,
    format: "schema",
  };
  const kinds = Object.keys(PARTITIONS) as PartitionKind[];
  for (const kind of kinds) expect(kinds.filter((other) => isWithin(made[kind], [other]))).toEqual([kind]);
});
