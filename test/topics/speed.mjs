/**
 * `speed.mjs [records] [sink]`: Stepwell and the reference server read the same topic, one after the other, in one run; for a plain service and for an
 * object. It needs the packages of test/compat (620 MB) and a quiet machine, and is no part of the gate.
 */
import "../../examples/polyfill.mjs";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync, openSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { Producer, Admin } from "@platformatic/kafka";
import { REFERENCE, startContestant, stepwell } from "../compat/contestants.mjs";
import { cpuSeconds } from "../compat/consumption.mjs";
import { build, NODE_24, ROOT } from "../compat/ground.mjs";
import { freePorts, startProcess, stopProcess, untilReady } from "../compat/running-process.mjs";
import { prepareBrokers } from "./brokers.mjs";

const RECORDS = Number(process.argv[2] ?? 100_000);
const KEYS = 1_000;
const PARTITIONS = 4;
const VALUE = "x".repeat(100);
const SINKS = process.argv[3] === undefined ? ["Plain/take", "Keyed/take"] : [process.argv[3]];
const WITHIN_MS = 15 * 60_000;

const dir = mkdtempSync(join(tmpdir(), "stepwell-speed-"));
const { kafkaLib } = prepareBrokers();
build();
const broker = await startBroker();
const sink = await startSink();
const results = [];
try {
  await produce("load");
  for (const contestant of [stepwell("stepwell", join(ROOT, "dist/stepwell.js")), REFERENCE]) {
    for (const target of SINKS) results.push(await measure(contestant, target));
  }
} finally {
  await stopProcess(sink.running);
  await stopProcess(broker);
  rmSync(dir, { recursive: true, force: true });
}
for (const { name, target, seconds, perSecond, cpuPer1000 } of results)
  console.log(
    `${name.padEnd(10)} ${target.padEnd(12)} ${seconds.toFixed(1)} s   ${Math.round(perSecond)} records a second, ${cpuPer1000.toFixed(2)} s of CPU per 1,000`,
  );
for (const target of SINKS) {
  const [ours, theirs] = results.filter((one) => one.target === target);
  console.log(`${target}: ${(ours.perSecond / theirs.perSecond).toFixed(2)} times as fast as the reference`);
}

/** From the subscription until the handler has run for every record. */
async function measure(contestant, target) {
  const server = await startContestant(contestant, dir, `http://127.0.0.1:${sink.port}`);
  try {
    await ask(server, "kafka-clusters", { name: "main", properties: { "bootstrap.servers": broker.address } });
    const before = await sink.count();
    const cpuBefore = cpuSeconds(server.pid);
    const beganMs = performance.now();
    await ask(server, "subscriptions", {
      source: "kafka://main/load",
      sink: `service://${target}`,
      options: { "auto.offset.reset": "earliest" },
    });
    while ((await sink.count()) - before < RECORDS) {
      if (performance.now() - beganMs > WITHIN_MS)
        throw new Error(`${contestant.name} did not read ${RECORDS} records`);
      await sleep(50);
    }
    const seconds = (performance.now() - beganMs) / 1000;
    const cpuPer1000 = ((cpuSeconds(server.pid) - cpuBefore) / RECORDS) * 1_000;
    console.log(`${contestant.name} ${target}: ${seconds.toFixed(1)} s`);
    return { name: contestant.name, target, seconds, perSecond: RECORDS / seconds, cpuPer1000 };
  } finally {
    await server.stop();
  }
}

async function ask({ adminUrl }, path, body) {
  const headers = { "content-type": "application/json" };
  const response = await fetch(`${adminUrl}/${path}`, { method: "POST", headers, body: JSON.stringify(body) });
  if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
}

async function produce(topic) {
  const options = { clientId: "speed", bootstrapBrokers: [broker.address], retries: 10, retryDelay: 300 };
  const admin = new Admin(options);
  await admin.createTopics({ topics: [topic], partitions: PARTITIONS, replicas: 1 });
  await admin.close();
  const producer = new Producer({ ...options, idempotent: true });
  for (let from = 0; from < RECORDS; from += 1_000) {
    const count = Math.min(1_000, RECORDS - from);
    const messages = Array.from({ length: count }, (_, at) => ({
      topic,
      key: Buffer.from(`k${(from + at) % KEYS}`),
      value: Buffer.from(VALUE),
    }));
    await producer.send({ messages, acks: -1 });
  }
  await producer.close();
}

async function startSink() {
  const [port] = await freePorts(1);
  const running = startProcess(NODE_24, [join(import.meta.dirname, "speed-sink.mjs"), String(port)], {
    logFile: join(dir, "sink.log"),
    env: { ...process.env, RESTATE_LOGGING: "ERROR", NODE_ENV: "production" },
    hasChannel: true,
  });
  await once(running.child, "message");
  const count = async () => {
    const answer = once(running.child, "message");
    running.child.send("count?");
    return (await answer)[0];
  };
  return { running, port, count };
}

async function startBroker() {
  const [port, controllerPort] = await freePorts(2);
  const listeners = `PLAINTEXT://127.0.0.1:${port},CONTROLLER://127.0.0.1:${controllerPort}`;
  const settings = {
    "process.roles": "broker,controller",
    "node.id": 1,
    "controller.quorum.bootstrap.servers": `127.0.0.1:${controllerPort}`,
    listeners,
    "advertised.listeners": listeners,
    "controller.listener.names": "CONTROLLER",
    "listener.security.protocol.map": "PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT",
    "log.dirs": join(dir, "kafka"),
    "offsets.topic.num.partitions": 1,
    "offsets.topic.replication.factor": 1,
    "transaction.state.log.replication.factor": 1,
    "transaction.state.log.min.isr": 1,
    "group.initial.rebalance.delay.ms": 0,
  };
  const file = join(dir, "server.properties");
  writeFileSync(
    file,
    Object.entries(settings)
      .map(([name, value]) => `${name}=${value}\n`)
      .join(""),
  );
  const java = [
    "-Xmx256m",
    "-XX:+UseSerialGC",
    "-Dorg.slf4j.simpleLogger.defaultLogLevel=warn",
    "-cp",
    `${kafkaLib}/*`,
  ];
  const log = openSync(join(dir, "format.log"), "a");
  const format = [
    "kafka.tools.StorageTool",
    "format",
    "--standalone",
    "--cluster-id",
    "stepwellTopicsTestCluste",
    "--config",
    file,
  ];
  const [code] = await once(spawn("java", [...java, ...format], { stdio: ["ignore", log, log] }), "exit");
  if (code !== 0) throw new Error(`the storage of Kafka was not formatted; see ${dir}`);
  const running = startProcess("java", [...java, "kafka.Kafka", file], { logFile: join(dir, "broker.log") });
  const address = `127.0.0.1:${port}`;
  await untilReady(running, "the broker", async () => {
    const admin = new Admin({ clientId: "speed", bootstrapBrokers: [address], retries: 0 });
    await admin.listTopics().finally(() => void admin.close());
    return true;
  });
  return Object.assign(running, { address });
}
