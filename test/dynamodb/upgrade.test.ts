/** The upgrade of the functions: this version opens the table of an older version, whose messages are all lost. */
import { BatchWriteItemCommand, CreateTableCommand, type DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { afterEach, describe, expect, test, vi } from "vitest";
import { adminHandler } from "../../functions/admin/admin-handler.ts";
import { ingressHandler } from "../../functions/ingress/ingress-handler.ts";
import { sweeperHandler } from "../../functions/sweeper/sweeper-handler.ts";
import { workerHandler } from "../../functions/worker/worker-handler.ts";
import { tableDefinition } from "../../shared/adapters/dynamodb/table-definition.ts";
import type { Engine } from "../../shared/engine/engine.ts";
import { pinnedCounts } from "../../shared/engine/register/pinned.ts";
import { type Aws, openAws } from "../../shared/wiring/aws.ts";
import { PROJECTED } from "../harness/engine/counted-table.ts";
import {
  act,
  expectEnds,
  expectLeft,
  expectRest,
  expectSameKey,
  liveShortlyAfter,
  moveDeployment,
} from "../upgrade/drill.ts";
import { fixtureVersions, readTableFixture, type StoredItem } from "../upgrade/fixture-files.ts";
import {
  type CallFunction,
  type FunctionName,
  functionEnvironment,
  functionSite,
  INSTANCES,
  oneEventAtATime,
  workOn,
} from "../upgrade/function-site.ts";
import { startHintsServer } from "../upgrade/hints-server.ts";
import { newWorld, serveDrill } from "../upgrade/services.ts";
import { pinnedOf } from "../upgrade/states.ts";
import { engineClient } from "./open-table.ts";

type Projection = Parameters<typeof tableDefinition>[1];

/** The projections of the first stacks; the projections of an existing table cannot be changed. */
const FIRST: Projection = { list: [], open: ["status", "lookAtMs", "keepUntilS"] };
const PROJECTIONS = [
  ["as the first stacks made it", FIRST],
  ["as it is made now", PROJECTED],
] as const;
/** Longer than any stall of a busy machine, so that no live driver is taken over and no step runs twice. */
const LEASE_S = 60;
const CONTEXT = { getRemainingTimeInMillis: () => 60_000 };

const clearing: (() => unknown)[] = [];

afterEach(async () => {
  for (const clear of clearing.splice(0).reverse()) await clear();
});

describe.each(fixtureVersions())("the work that %s left in its table", (version) => {
  test.each(PROJECTIONS)("goes on in a table %s, and no step runs twice", async (_, projected) => {
    const { account, items } = readTableFixture(version);
    clearing.push(liveShortlyAfter(account));
    const world = newWorld(true);
    const deployment = await serveDrill(world);
    clearing.push(() => deployment.close());
    const { call, work, engine } = await openFunctions(items, account.parameters, projected);
    const site = functionSite(call);

    await expectLeft(site, account);
    const pinned = await pinnedCounts(engine);
    expect(Object.fromEntries(pinned)).toEqual({ [account.deploymentId]: pinnedOf(account) });
    await moveDeployment(site, account, deployment.uri);
    work();
    await call("sweeper", {});
    await act(site, account);
    await expectEnds(site, account, world);
    await expectSameKey(site, account, world);
    await expectRest(site, account);
    expect(world.ran.get("today/greet")).toBe(1);
  });
});

/** The functions over a table with these items; messages are lost until `work` is called. */
async function openFunctions(
  items: readonly StoredItem[],
  parameters: Readonly<Record<string, string>>,
  projected: Projection,
): Promise<{ call: CallFunction; work: () => void; engine: Engine }> {
  const tableName = await filledTable(items, projected);
  const hints = await startHintsServer(parameters);
  clearing.push(() => hints.close());
  const dynamoUri = process.env["STEPWELL_TEST_DYNAMODB_ENDPOINT"] ?? "";
  const environment = functionEnvironment({ tableName, dynamoUri, hintsUri: hints.uri, leaseS: LEASE_S });
  for (const [name, value] of Object.entries(environment)) vi.stubEnv(name, value);
  clearing.push(() => vi.unstubAllEnvs());
  const open = async (functionName: FunctionName) =>
    await openAws({ functionName, leavesSlowToQueue: functionName === "ingress" || functionName === "admin" });
  const many = async <Handler>(name: FunctionName, handlerOf: (aws: Aws) => Handler) =>
    await Promise.all(Array.from({ length: INSTANCES[name] }, async () => handlerOf(await open(name))));
  // The functions start in parallel, as after an update of the stack: each instance may be the first to open the table.
  const [ingress, admin, worker, sweeper] = await Promise.all([
    many("ingress", ingressHandler),
    many("admin", adminHandler),
    many("worker", workerHandler),
    many("sweeper", sweeperHandler),
  ]);
  const instances = { ingress, admin, worker, sweeper };
  const { engine } = await open("admin");
  const call = oneEventAtATime(
    async (name, instance, event) => await instances[name][instance]!(event as never, CONTEXT),
  );
  return { call, work: () => workOn(hints, call), engine };
}

async function filledTable(items: readonly StoredItem[], projected: Projection): Promise<string> {
  const client: DynamoDBClient = engineClient();
  const tableName = `upgrade-${Math.random().toString(36).slice(2)}`;
  await client.send(new CreateTableCommand(tableDefinition(tableName, projected)));
  for (let from = 0; from < items.length; from += 25) {
    const requests = items.slice(from, from + 25).map((Item) => ({ PutRequest: { Item } }));
    await client.send(new BatchWriteItemCommand({ RequestItems: { [tableName]: requests } }));
  }
  client.destroy();
  return tableName;
}
