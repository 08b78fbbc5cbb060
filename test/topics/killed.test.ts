/**
 * The local process is killed again and again while records arrive: each record counts once, and the records of a key keep their
 * order.
 */
import { once } from "node:events";
import { createServer, type Http2Server } from "node:http2";
import type { AddressInfo } from "node:net";
import "../../examples/polyfill.mjs";
import { createEndpointHandler } from "@restatedev/restate-sdk";
import { afterAll, beforeAll, expect, test } from "vitest";
import { Victim } from "../crash/victim.ts";
import { bundleCommand, type BundledCommand } from "../harness/cli/bundled-command.ts";
import { removeDirectory, temporaryDirectory } from "../contracts/temporary-directory.ts";
import { until } from "../running-processes.ts";
import { startKafka, type Broker } from "./broker.ts";
import { ask, configure, subscribe, subscription, type ControlPlane } from "./control-plane.ts";
import { freePort } from "./free-port.ts";
import { accounts, keyedNumbers, totalOf } from "./keyed-numbers.ts";
import { openProducer, type TestProducer } from "./producer.ts";
import { ledger, progress } from "./sinks.ts";
import { fetch, knowAdminAt } from "../harness/local/admin-access.ts";

const KILLS = 20;
const RECORDS_PER_KILL = 100;
const KEYS = 20;

let broker: Broker;
let producer: TestProducer;
let command: BundledCommand;
let deployment: Http2Server;
let victim: Victim;
let plane: ControlPlane;
let dir: string;

beforeAll(async () => {
  [broker, command, dir] = await Promise.all([startKafka(), bundleCommand(), temporaryDirectory()]);
  producer = openProducer(broker.address);
  deployment = createServer(createEndpointHandler({ services: [ledger], logger: () => {} }));
  deployment.listen(0, "127.0.0.1");
  await once(deployment, "listening");
  const [ingressPort, adminPort] = [await freePort(), await freePort()];
  plane = { ingressUri: `http://127.0.0.1:${ingressPort}`, adminUri: `http://127.0.0.1:${adminPort}` };
  knowAdminAt(plane.adminUri, `${dir}/data`);
  const ports = ["--ingress-port", String(ingressPort), "--admin-port", String(adminPort)];
  const uri = `http://127.0.0.1:${(deployment.address() as AddressInfo).port}`;
  const args = [command.path, "dev", "--data-dir", `${dir}/data`, ...ports, "--register", uri, "--json"];
  victim = new Victim("local process", dir, args, async () => {
    const answer = await fetch(`${plane.adminUri}/services/Ledger`).catch(() => undefined);
    return answer?.status === 200;
  });
  victim.start();
  await victim.ready();
});

afterAll(async () => {
  await victim.end("SIGKILL");
  deployment.close();
  await producer.close();
  await broker.remove();
  await command.remove();
  await removeDirectory(dir);
});

test(`after ${KILLS} kills in the middle of the stream, each record has taken effect exactly once`, async () => {
  await producer.createTopic("killed", 3);
  await configure(plane, broker.address);
  const id = await subscribe(plane, "killed", "Ledger/add");
  const countNow = async (): Promise<number> => totalOf(await accounts(plane, KEYS)).count;
  let hitInMidStream = 0;
  for (let kill = 0; kill < KILLS; kill++) {
    const before = progress.runs;
    await producer.send("killed", keyedNumbers(RECORDS_PER_KILL, KEYS, "k", kill * RECORDS_PER_KILL));
    // Every other kill comes as soon as the handler has run for a record, the others while the records are being accepted.
    if (kill % 2 === 0) await until(() => progress.runs > before);
    else await until(async () => (await nextOffsets(id)) > kill * RECORDS_PER_KILL);
    await victim.end("SIGKILL");
    if (progress.runs < before + RECORDS_PER_KILL) hitInMidStream++;
    victim.start();
    await victim.ready();
  }
  const records = KILLS * RECORDS_PER_KILL;
  await until(() => progress.runs >= records);
  await until(async () => (await countNow()) >= records);
  await until(async () => (await nextOffsets(id)) === records);
  const sum = (records * (records - 1)) / 2;
  expect(totalOf(await accounts(plane, KEYS))).toEqual({ count: records, sum, disorder: 0 });
  const { rows } = await ask<{ readonly rows: readonly { readonly n: number }[] }>(plane, "POST", "query", {
    query: "SELECT COUNT(*) AS n FROM sys_invocation WHERE invoked_by = 'subscription'",
  });
  expect(rows).toEqual([{ n: records }]);
  expect(hitInMidStream).toBeGreaterThanOrEqual(KILLS / 2);
});

async function nextOffsets(id: string): Promise<number> {
  const { partitions } = await subscription(plane, id);
  return partitions.reduce((all, one) => all + one.next_offset, 0);
}
