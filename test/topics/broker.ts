/** Brokers as processes: Apache Kafka in KRaft mode, and kfake in memory. */
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, openSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { freePort } from "./free-port.ts";
import { removeDirectory, temporaryDirectory } from "../contracts/temporary-directory.ts";
import { until } from "../running-processes.ts";

export interface Broker {
  readonly address: string;
  /** Ends the process, and keeps its data. */
  stop(signal?: "SIGTERM" | "SIGKILL"): Promise<void>;
  start(): Promise<void>;
  /** Ends the process, and removes its data. */
  remove(): Promise<void>;
}

export async function startKfake(): Promise<Broker> {
  const port = await freePort();
  const program = required("STEPWELL_TEST_KFAKE");
  return await started(port, () => spawn(program, [String(port)], { stdio: "ignore" }));
}

/** Starts Kafka. A topic that is created by its first use has three partitions, and a group does not wait for more members. */
export async function startKafka(): Promise<Broker> {
  const [port, controllerPort] = [await freePort(), await freePort()];
  const dir = await temporaryDirectory();
  const properties = join(dir, "server.properties");
  writeFileSync(properties, propertiesOf(port, controllerPort, join(dir, "log")));
  const java = [
    "-Xmx256m",
    "-XX:+UseSerialGC",
    "-XX:TieredStopAtLevel=1",
    "-Dorg.slf4j.simpleLogger.defaultLogLevel=warn",
    "-cp",
    `${required("STEPWELL_TEST_KAFKA")}/*`,
  ];
  mkdirSync(join(dir, "log"));
  const log = openSync(join(dir, "broker.log"), "a");
  const run = (main: string, ...args: readonly string[]): ChildProcess =>
    spawn("java", [...java, main, ...args], { stdio: ["ignore", log, log] });
  const format = ["format", "--standalone", "--cluster-id", "stepwellTopicsTestCluste", "--config", properties];
  const [code] = (await once(run("kafka.tools.StorageTool", ...format), "exit")) as [number | null];
  if (code !== 0) throw new Error(`the storage of Kafka was not formatted; see ${join(dir, "broker.log")}`);
  return await started(port, () => run("kafka.Kafka", properties), dir);
}

function propertiesOf(port: number, controllerPort: number, dir: string): string {
  const settings = {
    "process.roles": "broker,controller",
    "node.id": "1",
    "controller.quorum.bootstrap.servers": `127.0.0.1:${controllerPort}`,
    listeners: `PLAINTEXT://127.0.0.1:${port},CONTROLLER://127.0.0.1:${controllerPort}`,
    "advertised.listeners": `PLAINTEXT://127.0.0.1:${port},CONTROLLER://127.0.0.1:${controllerPort}`,
    "controller.listener.names": "CONTROLLER",
    "listener.security.protocol.map": "PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT",
    "log.dirs": dir,
    "num.partitions": "3",
    "offsets.topic.num.partitions": "1",
    "offsets.topic.replication.factor": "1",
    "transaction.state.log.num.partitions": "1",
    "transaction.state.log.replication.factor": "1",
    "transaction.state.log.min.isr": "1",
    "share.coordinator.state.topic.num.partitions": "1",
    "share.coordinator.state.topic.replication.factor": "1",
    "share.coordinator.state.topic.min.isr": "1",
    "group.initial.rebalance.delay.ms": "0",
    "message.max.bytes": "20000000",
    "log.retention.check.interval.ms": "1000",
  };
  return Object.entries(settings)
    .map(([name, value]) => `${name}=${value}\n`)
    .join("");
}

async function started(port: number, spawned: () => ChildProcess, dir?: string): Promise<Broker> {
  let child: ChildProcess | undefined;
  const broker: Broker = {
    address: `127.0.0.1:${port}`,
    async start() {
      child = spawned();
      await until(() => listens(port));
    },
    async stop(signal = "SIGTERM") {
      if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
      const exited = once(child, "exit");
      child.kill(signal);
      await exited;
    },
    async remove() {
      await broker.stop("SIGKILL");
      if (dir !== undefined) await removeDirectory(dir);
    },
  };
  await broker.start();
  return broker;
}

async function listens(port: number): Promise<boolean> {
  const socket = connect(port, "127.0.0.1");
  const connected = await new Promise<boolean>((resolve) => {
    socket.once("connect", () => resolve(true)).once("error", () => resolve(false));
  });
  socket.destroy();
  return connected;
}

function required(name: string): string {
  const value = process.env[name];
  if (value === undefined) throw new Error(`${name} is missing: run the suite by \`npm run test:topics\``);
  return value;
}
