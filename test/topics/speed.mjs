/**
 * `speed.mjs [options]`: Stepwell and the reference server read the same topic in turn, in one run, for a plain service and for
 * an object. It needs the packages of test/compat (650 MB) and a quiet machine, and is no part of the gate.
 */
import "../../examples/polyfill.mjs";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { Producer, Admin } from "@platformatic/kafka";
import { REFERENCE, startContestant, stepwell } from "../compat/contestants.mjs";
import { cpuSeconds } from "../compat/consumption.mjs";
import { build, NODE_24, ROOT } from "../compat/ground.mjs";
import { freePorts, startProcess, stopProcess } from "../compat/running-process.mjs";
import { prepareBrokers } from "./brokers.mjs";
import { startBroker } from "./speed-broker.mjs";

const { values: options } = parseArgs({
  options: {
    records: { type: "string", default: "100000" },
    rounds: { type: "string", default: "3" },
    sinks: { type: "string", default: "Plain/take,Keyed/take" },
    /** Another `stepwell.js`, as a third contestant. */
    before: { type: "string" },
    "without-reference": { type: "boolean", default: false },
    /** A folder for CPU profiles of Stepwell. */
    profiles: { type: "string" },
  },
});
const RECORDS = Number(options.records);
const KEYS = 1_000;
const PARTITIONS = 4;
const VALUE = "x".repeat(100);
const SINKS = options.sinks.split(",");
const WITHIN_MS = 15 * 60_000;

const dir = mkdtempSync(join(tmpdir(), "stepwell-speed-"));
const { kafkaLib } = prepareBrokers();
build();
const contestants = [
  profiled(stepwell("ours", join(ROOT, "dist/stepwell.js"))),
  ...(options.before === undefined ? [] : [stepwell("before", options.before)]),
  ...(options["without-reference"] ? [] : [REFERENCE]),
];
const broker = await startBroker(kafkaLib, dir);
const sink = await startSink();
const results = [];
try {
  await produce("load");
  for (let round = 1; round <= Number(options.rounds); round++) {
    for (const target of SINKS) {
      for (const contestant of contestants) results.push(await measure(contestant, target));
    }
  }
} finally {
  await stopProcess(sink.running);
  await stopProcess(broker);
  rmSync(dir, { recursive: true, force: true });
}
for (const target of SINKS) report(target);

/**
 * Prints, for each contestant, the median and the range of its rounds: the records a second, the CPU time, and how many times as
 * fast as the reference it was.
 */
function report(target) {
  const of = (name) => results.filter((one) => one.target === target && one.name === name);
  const show = (numbers, digits = 0) => {
    const sorted = numbers.toSorted((a, b) => a - b);
    const [low, middle, high] = [0, Math.floor(sorted.length / 2), sorted.length - 1].map((at) =>
      sorted[at].toFixed(digits),
    );
    return `${middle} (${low} to ${high})`;
  };
  const theirs = of(REFERENCE.name);
  for (const { name } of contestants) {
    const rounds = of(name);
    console.log(
      `${target} ${name}: ${show(rounds.map((one) => one.perSecond))} records a second; s of CPU per 1,000: ` +
        `${show(
          rounds.map((one) => one.cpu),
          2,
        )}, of the handlers ${show(
          rounds.map((one) => one.sinkCpu),
          2,
        )}`,
    );
    if (name === REFERENCE.name || theirs.length === 0) continue;
    const ratios = rounds.map(({ perSecond }, at) => perSecond / theirs[at].perSecond);
    console.log(`${target} ${name}: ${show(ratios, 2)} times as fast as the reference`);
  }
}

function profiled({ name, command }) {
  if (options.profiles === undefined) return { name, command };
  return {
    name,
    command: (place) => {
      const { args, ...more } = command(place);
      return { ...more, args: ["--cpu-prof", `--cpu-prof-dir=${options.profiles}`, ...args] };
    },
  };
}

/** Measures the time from the subscription until the handler has run for every record. */
async function measure(contestant, target) {
  const server = await startContestant(contestant, dir, `http://127.0.0.1:${sink.port}`);
  try {
    await ask(server, "kafka-clusters", { name: "main", properties: { "bootstrap.servers": broker.address } });
    const before = await sink.count();
    const cpuBefore = [server.pid, sink.running.pid].map(cpuSeconds);
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
    const [cpu, sinkCpu] = [server.pid, sink.running.pid].map(
      (pid, at) => ((cpuSeconds(pid) - cpuBefore[at]) / RECORDS) * 1_000,
    );
    console.log(`${contestant.name} ${target}: ${seconds.toFixed(1)} s`);
    return { name: contestant.name, target, perSecond: RECORDS / seconds, cpu, sinkCpu };
  } finally {
    await server.stop();
  }
}

async function ask({ adminUrl, access }, path, body) {
  const headers = { "content-type": "application/json", ...access };
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
