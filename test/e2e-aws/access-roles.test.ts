/** Tries the rights of each role with its credentials. An action counts as denied only if its own permission is missing. */
import { beforeAll, describe, expect, test } from "vitest";
import {
  DynamoDBClient,
  GetItemCommand,
  PutItemCommand,
  ScanCommand,
  TransactWriteItemsCommand,
} from "@aws-sdk/client-dynamodb";
import { GetCallerIdentityCommand, STSClient } from "@aws-sdk/client-sts";
import { RIGHTS } from "../../infra/lambda/grants.ts";
import { PARTITIONS, TABLE_RIGHTS, type PartitionKind } from "../../shared/config/table-rights.ts";
import { deedsIn, type Deed } from "./deeds.ts";
import { aws, ControlPlane } from "./control-plane.ts";
import { credentialsIn, functionNames, processesOf } from "./function-processes.ts";
import { assume, assumeAsItsService, functionsOf, roleNames, roleOf } from "./identities.ts";
import { signedBy, type Identity } from "./signed-by.ts";

const STACK = "StepwellE2e";
const FUNCTIONS = ["ingress", "admin", "worker", "sweeper"] as const;
const DRIVERS = [...FUNCTIONS];
const ROLES = [...FUNCTIONS, "topics", "keys", "schedules"] as const;
type Role = (typeof ROLES)[number];

const plane = new ControlPlane(aws.plain);
const names = {} as Record<Role, string>;
const identities = {} as Record<Role, Identity>;
let deeds: Readonly<Record<string, Readonly<Record<string, Deed>>>>;

beforeAll(async () => {
  const [keys] = await functionsOf(`${STACK}-StepwellEnvironmentKeys`);
  const functions = [...functionNames(aws.plain), aws.plain.outputs["TopicsFunction"]!, keys!];
  for (const [index, role] of [...FUNCTIONS, "topics" as const, "keys" as const].entries())
    names[role] = await roleOf(functions[index]!);
  names.schedules = (await roleNames()).find((name) => name.startsWith(`${STACK}-StepwellSchedulesRole`))!;
  for (const role of ROLES) {
    identities[role] = await (role === "schedules" ? assumeAsItsService : assume)(names[role]);
  }
  deeds = deedsIn(names.schedules);
});

const ACTIONS = { reads: RIGHTS.readsItems, writes: RIGHTS.writesItems, deletes: RIGHTS.deletesItems };

/** In each row: a resource, an action on it, and the roles that may take the action. */
const MAY: readonly (readonly [on: string, deed: string, who: readonly Role[]])[] = [
  // Of no kind that the engine has.
  ["table", "dynamodb:GetItem", []],
  ["table", "dynamodb:PutItem", []],
  ["table", "dynamodb:Query of `list`", ["admin", "worker", "sweeper"]],
  ["table", "dynamodb:Query of `open`", ["admin", "worker", "sweeper"]],
  ["table", "dynamodb:Scan", ["admin"]],
  ["table", "dynamodb:DeleteTable", []],
  ["table of another stack", "dynamodb:GetItem", []],
  ["table of another stack", "dynamodb:PutItem", []],
  ["table of another stack", "dynamodb:DeleteTable", []],
  ["queue", "sqs:SendMessage", [...DRIVERS, "topics", "schedules"]],
  ["queue", "sqs:ReceiveMessage", ["worker"]],
  ["queue", "sqs:DeleteMessage", ["worker"]],
  ["queue", "sqs:PurgeQueue", []],
  ["dead-letter queue", "sqs:SendMessage", []],
  ["dead-letter queue", "sqs:ReceiveMessage", ["sweeper"]],
  ["dead-letter queue", "sqs:DeleteMessage", ["sweeper"]],
  ["dead-letter queue", "sqs:PurgeQueue", []],
  ["queue of another stack", "sqs:SendMessage", []],
  ["queue of another stack", "sqs:ReceiveMessage", []],
  ["parameters", "ssm:GetParameter", [...DRIVERS, "topics", "keys"]],
  ["parameters", "ssm:PutParameter", ["keys"]],
  ["parameters", "ssm:DeleteParameter", ["keys"]],
  ["parameters of another stack", "ssm:GetParameter", []],
  ["parameters of another stack", "ssm:PutParameter", []],
  ["schedules", "scheduler:CreateSchedule", DRIVERS],
  ["schedules", "scheduler:DeleteSchedule", DRIVERS],
  ["handler", "lambda:InvokeFunction", DRIVERS],
  ["handler", "lambda:UpdateFunctionConfiguration", []],
  ["function that is no handler", "lambda:InvokeFunction", []],
  ["function that is no handler", "lambda:UpdateFunctionConfiguration", []],
  ["role of the schedules", "iam:PutRolePolicy", []],
  ["role of the schedules", "sts:AssumeRole", []],
];

/** The rights on items, as the constructs read them from the table of rights. */
const ON_ITEMS = (Object.keys(PARTITIONS) as PartitionKind[]).flatMap((kind) =>
  (["reads", "writes", "deletes"] as const).flatMap((right) => {
    const who = ROLES.filter((role) => role !== "schedules" && TABLE_RIGHTS[role][right].includes(kind));
    return ACTIONS[right].map((action) => [`partition of ${kind}`, action, who] as const);
  }),
);

/**
 * @returns whether the action is denied
 * @throws Error if another permission is missing
 */
async function isDenied(deed: Deed, action: string, identity: Identity): Promise<boolean> {
  try {
    await deed(identity);
  } catch (error) {
    const { name, message } = error as Error;
    if (!name.startsWith("AccessDenied")) return false;
    if (!message.includes(`not authorized to perform: ${action}`)) throw error;
    return true;
  }
  return false;
}

describe("the roles of a control plane", () => {
  test.each([...MAY, ...ON_ITEMS])(
    "on the %s, %s is allowed only for the roles that need it",
    async (on, what, who) => {
      const deed = deeds[on]![what]!;
      const [action] = what.split(" ", 1) as [string];
      const may: Role[] = [];
      for (const role of ROLES) if (!(await isDenied(deed, action, identities[role]))) may.push(role);
      expect(may).toEqual(who);
    },
  );

  test("whoever has taken the ingress over puts no deployment into the registry, and ends no subscription", async () => {
    const table = new DynamoDBClient({ credentials: identities.ingress, maxAttempts: 1 });
    const TableName = aws.plain.outputs["TableName"]!;
    const put = (pk: string, sk: string) =>
      ({ Put: { TableName, Item: { pk: { S: pk }, sk: { S: sk }, format: { N: "1" }, json: { S: "{}" } } } }) as const;
    const refused = { name: "AccessDeniedException", message: expect.stringContaining("dynamodb:PutItem") };
    const deployment = put("registry", "dep#dp_1");
    await expect(table.send(new PutItemCommand(deployment.Put))).rejects.toMatchObject(refused);
    // Nor in a transaction with an item that it may write.
    const transaction = { TransactItems: [put("inv#inv_1", "seg#000000"), deployment] };
    await expect(table.send(new TransactWriteItemsCommand(transaction))).rejects.toMatchObject(refused);
    await expect(table.send(new PutItemCommand(put("kafka", "sub#sub_1").Put))).rejects.toMatchObject(refused);
    await expect(table.send(new ScanCommand({ TableName }))).rejects.toMatchObject({ name: "AccessDeniedException" });
    const administrator = new DynamoDBClient({});
    for (const [pk, sk] of [
      ["registry", "dep#dp_1"],
      ["inv#inv_1", "seg#000000"],
    ] as const) {
      const Key = { pk: { S: pk }, sk: { S: sk } };
      expect((await administrator.send(new GetItemCommand({ TableName, Key }))).Item).toBeUndefined();
    }
  });

  test("no role may call the admin API", async () => {
    for (const role of ROLES) {
      const request = await signedBy(identities[role], aws.plain.admin, { path: "/services" });
      expect((await plane.askAdminUnsigned(request)).status, role).toBe(403);
    }
  });

  test("not even an administrator may assume the role of the schedules", async () => {
    await expect(assume(names.schedules)).rejects.toMatchObject({ name: "AccessDenied" });
  });

  test.runIf(aws.emulatorPid !== 0)(
    "the functions of the ingress and of the admin API run under their own roles",
    async () => {
      await plane.ask({ path: "/restate/health" });
      await plane.askAdmin({ path: "/version" });
      for (const [index, role] of (["ingress", "admin"] as const).entries()) {
        const [pid] = processesOf([functionNames(aws.plain)[index]!]);
        const { Arn } = await new STSClient({ credentials: credentialsIn(pid!) }).send(new GetCallerIdentityCommand());
        expect(Arn).toContain(`:assumed-role/${names[role]}/`);
      }
    },
  );
});
