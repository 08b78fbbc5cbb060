/**
 * Writes a fixture with the programs of a commit: the work that the functions leave in a table, and the work that the local
 * process leaves in a data directory.
 */
import { generateKeyPairSync, randomBytes } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { CreateTableCommand, type DynamoDBClient, ScanCommand } from "@aws-sdk/client-dynamodb";
import { dynamoClient } from "../../../shared/adapters/dynamodb/dynamodb-client.ts";
import { tableDefinition } from "../../../shared/adapters/dynamodb/table-definition.ts";
import { filesOf, type StoredItem, writeFixture } from "../fixture-files.ts";
import { functionEnvironment, functionSite, PARAMETERS_PATH, workOn } from "../function-site.ts";
import { startHintsServer } from "../hints-server.ts";
import { accountOf, leaveParked, leaveRunning, leaveUnworked, type Writer } from "../leave-work.ts";
import { newWorld, serveDrill } from "../services.ts";
import { type Checkout, checkOut } from "./checkout.ts";
import { functionsProgramPath, startFunctions, startLocal } from "./program.ts";

const TABLE = "drill";
/** Short, so that a driver soon renews it. */
const LEASE_S = 3;
/** Long enough for a renewal, so that a lease record exists. */
const RENEWED_WITHIN_MS = 1.5 * LEASE_S * 1000;

interface Task {
  readonly root: string;
  readonly checkout: Checkout;
  readonly folder: string;
}

/** @param dynamoUri the address of a DynamoDB engine without tables */
export async function write(root: string, revision: string, folder: string, dynamoUri: string): Promise<void> {
  const dir = mkdtempSync(join(tmpdir(), "stepwell-upgrade-"));
  try {
    const checkout = checkOut(root, revision, join(dir, "checkout"));
    const task: Task = { root, checkout, folder };
    await writeDirectory(task, join(dir, "data"));
    await writeTable(task, dynamoUri);
  } finally {
    rmSync(dir, { recursive: true });
  }
}

async function writeDirectory({ checkout, folder }: Task, dataDir: string): Promise<void> {
  const environment = { STEPWELL_WORKER__LEASE: `${LEASE_S}s`, STEPWELL_LOG__LEVEL: "error" };
  const writer: Writer = { world: newWorld(false), ids: {}, hasUnworked: false };
  const deployment = await serveDrill(writer.world);
  const program = await startLocal(checkout.commandPath, dataDir, environment);
  const deploymentId = await leaveParked(program.site, writer, deployment.uri);
  await leaveRunning(program.site, writer, "killed");
  await pause(RENEWED_WITHIN_MS);
  await leaveRunning(program.site, writer, "young");
  await program.kill();
  await deployment.close();
  const account = accountOf(writer, { commit: checkout.commit, deploymentId, parameters: {} });
  writeFixture(folder, "directory", { account, files: filesOf(dataDir) });
}

async function writeTable({ root, checkout, folder }: Task, dynamoUri: string): Promise<void> {
  const parameters = freshParameters();
  const hints = await startHintsServer(parameters);
  const client = dynamoClient({
    endpoint: dynamoUri,
    region: "eu-west-1",
    credentials: { accessKeyId: "test", secretAccessKey: "test" },
  });
  // The projections below have no effect on the fixture: items do not contain them, and a test loads the items into a table
  // with projections of its own.
  await client.send(new CreateTableCommand(tableDefinition(TABLE, { list: ["n"], open: SHOWN_TO_ALL })));
  const environment = functionEnvironment({ tableName: TABLE, dynamoUri, hintsUri: hints.uri, leaseS: LEASE_S });
  const start = () => startFunctions(functionsProgramPath(root), checkout.functionsFolder, environment);

  const writer: Writer = { world: newWorld(false), ids: {}, hasUnworked: true };
  const deployment = await serveDrill(writer.world);
  const first = await start();
  workOn(hints, first.call);
  const deploymentId = await leaveParked(functionSite(first.call), writer, deployment.uri);
  await leaveRunning(functionSite(first.call), writer, "killed");
  await pause(RENEWED_WITHIN_MS);
  await leaveRunning(functionSite(first.call), writer, "young");
  hints.worker = undefined;
  await first.kill();
  const second = await start();
  await leaveUnworked(functionSite(second.call), writer);
  await second.kill();
  await deployment.close();
  await hints.close();
  const account = accountOf(writer, { commit: checkout.commit, deploymentId, parameters });
  writeFixture(folder, "table", { account, items: await scanned(client) });
}

/** The attributes that sweepers of all versions need. */
const SHOWN_TO_ALL = ["status", "lookAtMs", "keepUntilS"];

function freshParameters(): Record<string, string> {
  const pem = generateKeyPairSync("ed25519").privateKey.export({ type: "pkcs8", format: "pem" }).toString();
  return {
    [`${PARAMETERS_PATH}/id-secret`]: randomBytes(32).toString("base64"),
    [`${PARAMETERS_PATH}/signing-key-1`]: pem,
  };
}

async function scanned(client: DynamoDBClient): Promise<readonly StoredItem[]> {
  const items: StoredItem[] = [];
  for (let start: StoredItem | undefined, isFirst = true; isFirst || start !== undefined; isFirst = false) {
    const page = await client.send(
      new ScanCommand({ TableName: TABLE, ConsistentRead: true, ...(start && { ExclusiveStartKey: start }) }),
    );
    items.push(...(page.Items ?? []));
    start = page.LastEvaluatedKey;
  }
  client.destroy();
  return items;
}
