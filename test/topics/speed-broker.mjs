/** One Kafka broker in a process of its own, for the comparison of speed. */
import "../../examples/polyfill.mjs";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { openSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Admin } from "@platformatic/kafka";
import { freePorts, startProcess, untilReady } from "../compat/running-process.mjs";

/** Formats its storage below `dir`, and resolves when the broker answers. */
export async function startBroker(kafkaLib, dir) {
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
