/** The effective configuration as TOML: it reads back as the same settings, and shows no secrets. */
import { expect, test } from "vitest";
import { readSettings } from "../../shared/config/settings.ts";
import { settingsToml } from "../../shared/config/settings-toml.ts";

const read = (text: string) => readSettings({ file: { path: "f.toml", text }, environment: {}, flags: {} });

test.each([
  "",
  `max-journal-retention = "7d"
cluster-name = 'a "b"'
memory-size = "1.5 GiB"
[ingress]
port = 0
forward-headers = ["authorization", "x-amz-*"]
concurrent-api-requests-limit = 5
[default-retry-policy]
max-attempts = "unlimited"
exponentiation-factor = 1.5
initial-interval = "1500ms"
[worker.invoker]
disable-eager-state = true
concurrent-invocations-limit-per-service = 7
eager-state-size-limit = 1001
`,
  '[[ingress.kafka-clusters]]\nname = "a"\nbrokers = ["b:1", "c:2"]\nclient.id = "me"\n[[ingress.kafka-clusters]]\nname = "d"\n"bootstrap.servers" = "e:1"\n',
])("%j reads back as the same settings", (text) => {
  const { settings } = read(text);
  const again = read(settingsToml(settings));
  expect(again.settings).toEqual(settings);
  expect(again.warnings).toEqual([]);
});

test("values are written with their units, in sections", () => {
  const text = settingsToml(read("").settings);
  expect(text).toMatch(/^\[worker\.invoker\]$/m);
  expect(text).toMatch(/^abort-timeout = "10m"$/m);
  expect(text).toMatch(/^request-size-limit = "32MiB"$/m);
  expect(text).toMatch(/^port = 8080$/m);
  expect(text).not.toContain("tracing-endpoint");
});

test("credentials in addresses are masked", () => {
  const text = settingsToml(read('tracing-endpoint = "https://me:canary@c.example/v1/traces?key=canary"').settings);
  expect(text).toContain('tracing-endpoint = "https://***@c.example/v1/traces?key=***"');
  expect(text).not.toContain("canary");
});

test("secrets of Kafka clusters are masked", () => {
  const cluster = '[[ingress.kafka-clusters]]\nname = "a"\nbrokers = ["b:1"]\n"sasl.password" = "canary"';
  const text = settingsToml(read(cluster).settings);
  expect(text).toContain('"sasl.password" = "***"');
  expect(text).not.toContain("canary");
});
