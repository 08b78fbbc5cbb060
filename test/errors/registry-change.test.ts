/** Registrations that change under an open invocation, an unreadable registry, and an unforeseen error. */
import { expect, onTestFinished, test } from "vitest";
import type { Nonce } from "../../shared/core/model/ids.ts";
import { invocationPk } from "../../shared/engine/store/item-keys.ts";
import { readRegistry, registryPk, writeDeployment } from "../../shared/engine/register/registry-items.ts";
import { readSegment, segmentItem } from "../../shared/engine/store/segment-record.ts";
import { isStartRefusal } from "../../shared/wiring/start-refusals.ts";
import { removeDirectory, temporaryDirectory } from "../contracts/temporary-directory.ts";
import { damageDeployment } from "./damaged-registry.ts";
import { end, error, output, replying, startFrameDeployment, step, type FrameDeployment } from "./frame-deployment.ts";
import { expectRefusal } from "./refusal.ts";
import { openStage, type Answer, type ErrorStage } from "./stage.ts";
import { fetch } from "../harness/local/admin-access.ts";

const HEALTHY = replying(output("hello"), end());
const FAILING = replying(error(500, "not yet"));

/** An invocation that fails until the script of the deployment changes. */
async function underWay(
  script = FAILING,
  settings: Parameters<typeof openStage>[0] = {},
): Promise<{ stage: ErrorStage; deployment: FrameDeployment; id: string }> {
  const stage = await openStage(settings);
  const deployment = await startFrameDeployment(script);
  await stage.register(deployment.uri);
  const id = await stage.send("Greeter/greet");
  await stage.lastFailure(id, "RT0007");
  return { stage, deployment, id };
}

/**
 * Takes the only deployment out of the registry.
 * @returns a function that puts it back
 */
async function removeDeployment({ local }: ErrorStage): Promise<() => Promise<void>> {
  const { meta, settings, registry } = local.engine;
  const { version, deployments } = await readRegistry(meta, settings.keyPrefix);
  const pk = registryPk(settings.keyPrefix);
  await meta.transact([
    { kind: "delete", key: { pk, sk: `dep#${deployments[0]!.id}` } },
    { kind: "put", item: { pk, sk: "head", version: version + 1 } },
  ]);
  registry.refresh();
  return async () => {
    await writeDeployment(meta, settings.keyPrefix, deployments[0]!, version + 1);
    registry.refresh();
  };
}

test.each([
  ["is pinned to its deployment", replying(step(), error(500, "not yet"))],
  ["is pinned to no deployment", FAILING],
])(
  "an invocation that %s fails with RT0011 while the only deployment is gone, and ends once it is back",
  async (_which, script) => {
    const { stage, deployment, id } = await underWay(script);
    const bringBack = await removeDeployment(stage);
    const { message } = await stage.lastFailure(id, "RT0011");
    expect(message).toBe("no deployment was found to process the invocation");
    expect(stage.logged(id).at(-1)).toEqual({ errorCode: "RT0011", reason: message });
    deployment.script = HEALTHY;
    await bringBack();
    expect(await stage.result(id)).toBe("200 hello");
  },
);

test("a deployment registered for unsupported versions is RT0013", async () => {
  const { stage, deployment, id } = await underWay();
  const { meta, settings, registry } = stage.local.engine;
  const write = async (range: { readonly minProtocolVersion: number; readonly maxProtocolVersion: number }) => {
    const { version, deployments } = await readRegistry(meta, settings.keyPrefix);
    await writeDeployment(meta, settings.keyPrefix, { ...deployments[0]!, ...range }, version);
    registry.refresh();
  };
  await write({ minProtocolVersion: 3, maxProtocolVersion: 4 });
  expect((await stage.lastFailure(id, "RT0013")).message).toMatch(/'Greeter' speaks no protocol version/);
  deployment.script = HEALTHY;
  await write({ minProtocolVersion: 5, maxProtocolVersion: 7 });
  expect(await stage.result(id)).toBe("200 hello");
});

test("an invocation that began with an unsupported version is RT0014", async () => {
  // The retry interval is longer than a park takes, so the invocation is parked when its next attempt is due, and its next driver
  // loads the journal again.
  const { stage, deployment, id } = await underWay(replying(step(), error(500, "not yet")), {
    "worker.wait-in-driver": "0s",
    "default-retry-policy.initial-interval": "1s",
    "default-retry-policy.max-interval": "1s",
  });
  const { table, settings } = stage.local.engine;
  const { items } = await table.query(invocationPk(settings.keyPrefix, id), { from: "seg#", below: "seg$" });
  const first = items.find(({ sk }) => sk.endsWith("#000001"))!;
  const { segment, lease } = readSegment(1, first, () => undefined);
  const { pk, expiresAtS } = first as typeof first & { readonly expiresAtS: number };
  const place = { pk, nonce: first.sk.split("#")[1] as Nonce, lease, consumedUnits: 0, expiresAtS };
  await table.put(segmentItem(place, { ...segment, pin: { ...segment.pin!, protocolVersion: 4 } }));
  expect((await stage.lastFailure(id, "RT0014")).message).toMatch(/protocol version 4 .* no longer supported/);
  deployment.script = HEALTHY;
  await table.put(first);
  expect(await stage.result(id)).toBe("200 hello");
});

test("an unreadable registry is a 500 with an id, and the log has the cause under that id", async () => {
  const { stage } = await underWay();
  await damageDeployment(stage);
  const response = await fetch(`${stage.local.adminUrl}deployments`);
  const { message, restate_code: code } = (await response.json()) as Answer["body"];
  expect([response.status, code]).toEqual([500, null]);
  const [, errorId] = /^Internal error ([0-9a-f]{16})$/.exec(message ?? "") ?? [];
  expect(stage.log.lines).toContainEqual(
    expect.objectContaining({
      level: "error",
      fields: expect.objectContaining({ errorId, detail: expect.stringContaining("unknown format 99") }),
    }),
  );
});

test("a start on an unreadable registry is META0005", async () => {
  const dir = await temporaryDirectory();
  onTestFinished(() => removeDirectory(dir));
  const { stage } = await underWay(FAILING, { "data-dir": dir });
  await damageDeployment(stage);
  await stage.local.stop();
  const refused = openStage({ "data-dir": dir });
  await expect(refused).rejects.toMatchObject({ code: "META0005", message: expect.stringContaining("format 99") });
  await expect(refused).rejects.toSatisfy(isStartRefusal);
});

test("a registry that changes before each write is META0005, and keeps its content", async () => {
  const stage = await openStage();
  const deployment = await startFrameDeployment();
  const { meta, settings, clock } = stage.local.engine;
  const { transact } = meta;
  const { sleep } = clock;
  // The waits between the tries would take seconds.
  clock.sleep = (ms, signal) => sleep.call(clock, ms / 100, signal);
  // Another writer is always faster.
  meta.transact = async (writes) => {
    const { version } = await readRegistry(meta, settings.keyPrefix);
    await meta.put({ pk: registryPk(settings.keyPrefix), sk: "head", version: version + 1 });
    return await transact.call(meta, writes);
  };
  const refused = await stage.register(deployment.uri);
  expectRefusal(refused, "META0005", /other changes came first at each of 16 tries/);
  meta.transact = transact;
  clock.sleep = sleep;
  expect((await stage.admin("GET", "deployments")).body).toEqual({ deployments: [] });
  expect((await stage.register(deployment.uri)).status).toBe(201);
});

test("an unforeseen error is RT0006, and the invocation goes on when the error is over", async () => {
  const { stage, deployment, id } = await underWay();
  const { engine } = stage.local;
  const { open } = engine.endpoints;
  const unforeseen = (): Promise<never> => Promise.reject(new Error("the moon is in the way"));
  engine.endpoints.open = (request) => Object.assign(open.call(engine.endpoints, request), { head: unforeseen });
  expect((await stage.lastFailure(id, "RT0006")).message).toBe("the moon is in the way");
  deployment.script = HEALTHY;
  engine.endpoints.open = open;
  expect(await stage.result(id)).toBe("200 hello");
});
