/**
 * Properties as in librdkafka become options of the client. An invalid or unsupported property is refused, and a list gives the
 * names of the properties without an effect.
 */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { clientOptions } from "../../../shared/adapters/kafka/client-options.ts";
import { removeDirectory, temporaryDirectory } from "../../contracts/temporary-directory.ts";

const BASE = { "bootstrap.servers": "b:1", "group.id": "g", "client.id": "c" };
const optionsOf = (more: Record<string, string>) => clientOptions({ ...BASE, ...more });

test("brokers are read with and without ports and schemes", () => {
  const list = "PLAINTEXT://b:9093, c ,[::1]:9094,";
  expect(optionsOf({ "bootstrap.servers": list }).consumer.bootstrapBrokers).toEqual([
    { host: "b", port: 9093 },
    { host: "c", port: 9092 },
    { host: "::1", port: 9094 },
  ]);
  const aliased = { "bootstrap.servers": "", "metadata.broker.list": "d:1" };
  expect(optionsOf(aliased).consumer.bootstrapBrokers).toEqual([{ host: "d", port: 1 }]);
});

test("defaults: plain text, read committed, latest, and offsets that Stepwell commits itself", () => {
  const { consumer, begins, readsUncommitted, ignored } = optionsOf({ "enable.auto.commit": "true" });
  expect(consumer).toMatchObject({ clientId: "c", groupId: "g", autocommit: false, autocreateTopics: false });
  expect([consumer.tls, consumer.sasl, begins, readsUncommitted, ignored]).toEqual([
    undefined,
    undefined,
    "latest",
    false,
    [],
  ]);
});

test("the properties for SASL and TLS become options of the client", async () => {
  const dir = await temporaryDirectory();
  const ca = join(dir, "ca.pem");
  writeFileSync(ca, "the ca");
  const { consumer } = optionsOf({
    "security.protocol": "SASL_SSL",
    "sasl.mechanisms": "scram-sha-512",
    "sasl.username": "me",
    "sasl.password": "secret",
    "ssl.ca.location": ca,
    "ssl.certificate.pem": "the certificate",
    "ssl.key.pem": "the key",
    "ssl.endpoint.identification.algorithm": "none",
  });
  await removeDirectory(dir);
  expect(consumer.sasl).toEqual({ mechanism: "SCRAM-SHA-512", username: "me", password: "secret" });
  expect(consumer.tls).toMatchObject({
    ca: "the ca",
    cert: "the certificate",
    key: "the key",
    rejectUnauthorized: true,
    checkServerIdentity: expect.any(Function),
  });
});

test.each<[string, Record<string, string>, RegExp]>([
  ["no broker", { "bootstrap.servers": " , " }, /no broker/],
  ["a broker that is no address", { "bootstrap.servers": "http://a/b" }, /not <host>:<port>/],
  ["a port beyond the last", { "bootstrap.servers": "b:70000" }, /not <host>:<port>/],
  ["an unknown protocol", { "security.protocol": "quic" }, /security\.protocol/],
  ["an unknown mechanism", { "security.protocol": "sasl_ssl", "sasl.mechanism": "GSSAPI" }, /not supported/],
  ["a mechanism without a password", { "security.protocol": "sasl_ssl", "sasl.username": "me" }, /sasl\.password/],
  ["a file that is not there", { "security.protocol": "ssl", "ssl.ca.location": "/nowhere" }, /ENOENT/],
  ["an unknown beginning", { "auto.offset.reset": "middle" }, /auto\.offset\.reset/],
  ["a number with letters", { "session.timeout.ms": "soon" }, /session\.timeout\.ms/],
])("%s is refused, and the message has no secret", (_, more, message) => {
  const secret = { "sasl.jaas.config": "canary" };
  expect(() => optionsOf({ ...secret, ...more })).toThrow(message);
  expect(() => optionsOf({ ...secret, ...more })).not.toThrow(/canary/);
});

test("properties without an effect are named, except Stepwell's own options, which the engine reads", () => {
  const { ignored } = optionsOf({ "statistics.interval.ms": "5", "stepwell.bad-records": "skip" });
  expect(ignored).toEqual(["statistics.interval.ms"]);
});
