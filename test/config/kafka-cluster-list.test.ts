/** Kafka clusters in the configuration: their forms in the file and in variables, and refusals that repeat no secrets. */
import { describe, expect, test } from "vitest";
import { readSettings } from "../../shared/config/settings.ts";

const fromFile = (text: string) => readSettings({ file: { path: "c.toml", text }, environment: {}, flags: {} });
const fromVariable = (name: string, text: string) => readSettings({ environment: { [name]: text }, flags: {} });
const clustersOf = ({ settings }: ReturnType<typeof fromFile>) => settings["ingress.kafka-clusters"];

describe("a cluster", () => {
  const expected = [
    { name: "main", properties: { "bootstrap.servers": "PLAINTEXT://b:9092,c:9093", "sasl.username": "me" } },
  ];

  test.each([
    ["with quoted names", '"sasl.username" = "me"'],
    ["with dotted names", 'sasl.username = "me"'],
  ])("is read from a table of the file, %s", (_, property) => {
    const text = `[[ingress.kafka-clusters]]\nname = "main"\nbrokers = ["PLAINTEXT://b:9092", "c:9093"]\n${property}`;
    expect(clustersOf(fromFile(text))).toEqual(expected);
    expect(fromFile(text).warnings).toEqual([]);
  });

  test.each(["STEPWELL_INGRESS__KAFKA_CLUSTERS", "RESTATE_INGRESS__KAFKA_CLUSTERS"])("is read from %s", (name) => {
    const json = JSON.stringify([{ name: "main", brokers: ["PLAINTEXT://b:9092", "c:9093"], "sasl.username": "me" }]);
    expect(clustersOf(fromVariable(name, json))).toEqual(expected);
    const toml = '[{ name = "main", brokers = ["PLAINTEXT://b:9092", "c:9093"], "sasl.username" = "me" }]';
    expect(clustersOf(fromVariable(name, toml))).toEqual(expected);
  });

  test.each([
    ["as a text that is no list", '"main"'],
    ["without a name", '[{"brokers":["b"]}]'],
    ["with a name that is no valid host name", '[{"name":"a b","brokers":["b"]}]'],
    ["without brokers", '[{"name":"a","sasl.password":"canary"}]'],
    ["twice", '[{"name":"a","brokers":["b"]},{"name":"a","brokers":["c"]}]'],
    ["in broken JSON", '[{"name":"a","sasl.password":"canary"'],
  ])("%s is refused, and its secrets are not repeated", (_, text) => {
    const read = () => fromVariable("STEPWELL_INGRESS__KAFKA_CLUSTERS", text);
    expect(read).toThrow(expect.objectContaining({ code: "RT0002", message: expect.not.stringContaining("canary") }));
  });
});
