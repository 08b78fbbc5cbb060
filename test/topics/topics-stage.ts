/** The stage of one test file: a broker, a producer, and a local process that knows the broker as the cluster `main`. */
import { afterAll, beforeEach } from "vitest";
import { openLocalStage, type LocalStage, type StageOptions } from "../harness/local/local-stage.ts";
import { startKfake, type Broker } from "./broker.ts";
import { configure } from "./control-plane.ts";
import { openProducer, type TestProducer } from "./producer.ts";
import { noteTakers, type Seen } from "./sinks.ts";

export interface TopicsStage {
  readonly broker: Broker;
  readonly producer: TestProducer;
  readonly stage: LocalStage;
}

/** The stage closes after the last test of the file. */
export async function openTopicsStage(start: () => Promise<Broker>, options: StageOptions): Promise<TopicsStage> {
  const [broker, stage] = await Promise.all([start(), openLocalStage(options)]);
  const producer = openProducer(broker.address);
  afterAll(async () => {
    await stage.close();
    await producer.close();
    await broker.remove();
  });
  await configure(stage, broker.address);
  return { broker, producer, stage };
}

export interface NotedStage extends TopicsStage {
  /** The inputs of the handlers of `noteTakers` during the present test. */
  readonly seen: Seen[];
  /** The topic of the present test, which no other test uses. It has one partition. */
  readonly topic: () => string;
}

/** @param name the beginning of the names of the topics */
export async function openNotedStage(name: string, flags: StageOptions["flags"] = {}): Promise<NotedStage> {
  const seen: Seen[] = [];
  const opened = await openTopicsStage(startKfake, { services: noteTakers(seen), flags });
  let topics = 0;
  const topic = (): string => `${name}-${topics}`;
  beforeEach(async () => {
    seen.length = 0;
    topics++;
    await opened.producer.createTopic(topic(), 1);
  });
  return { ...opened, seen, topic };
}
