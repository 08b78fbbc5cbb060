/** Translates the properties of a cluster and a subscription, which are named as in librdkafka, to options of the client. */
import { readFileSync, statSync } from "node:fs";
import type { ConsumerOptions, Broker } from "@platformatic/kafka";
import { lookup } from "node:dns/promises";
import { isIP } from "node:net";

type Properties = Readonly<Record<string, string>>;

export type Beginning = "earliest" | "latest" | "fail";

export interface ClientOptions {
  readonly consumer: ConsumerOptions<Buffer, Buffer, Buffer, Buffer>;
  /** Where a group without a committed offset begins. */
  readonly begins: Beginning;
  readonly fetch: { readonly waitMaxMs: number; readonly maxBytes: number; readonly partitionMaxBytes: number };
  /** True if records of open and aborted transactions are read, too. */
  readonly readsUncommitted: boolean;
  /** Properties without an effect. */
  readonly ignored: readonly string[];
}

/** A property that the consumer does not support, or whose value is invalid. */
export class PropertyError extends Error {
  override name = "PropertyError";
}

const PEM_MAX_BYTES = 1024 * 1024;
const MECHANISMS = ["PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512"] as const;
const BEGINNINGS: Readonly<Record<string, Beginning>> = {
  earliest: "earliest",
  smallest: "earliest",
  beginning: "earliest",
  latest: "latest",
  largest: "latest",
  end: "latest",
  error: "fail",
  none: "fail",
};
/** Offsets are committed after each acceptance, whatever these properties say. */
const FORCED = ["enable.auto.commit", "enable.auto.offset.store", "auto.commit.interval.ms"];

/** @throws PropertyError */
export function clientOptions(properties: Properties): ClientOptions {
  const read = new Set<string>(FORCED);
  const text = (...names: readonly string[]): string | undefined => {
    for (const name of names) read.add(name);
    return names.map((name) => properties[name]).find((value) => value !== undefined && value !== "");
  };
  const number = (fallback: number, ...names: readonly string[]): number =>
    numberOf(text(...names), names[0]!, fallback);
  const sessionTimeout = number(45_000, "session.timeout.ms");
  const [clientRack, groupInstanceId] = [text("client.rack"), text("group.instance.id")];
  const options = {
    consumer: {
      clientId: text("client.id") ?? "",
      groupId: text("group.id") ?? "",
      bootstrapBrokers: brokers(text("bootstrap.servers", "metadata.broker.list")),
      sessionTimeout,
      heartbeatInterval: number(3_000, "heartbeat.interval.ms"),
      rebalanceTimeout: Math.max(sessionTimeout, number(60_000, "max.poll.interval.ms")),
      connectTimeout: number(10_000, "socket.connection.setup.timeout.ms"),
      requestTimeout: number(60_000, "socket.timeout.ms"),
      metadataMaxAge: number(300_000, "metadata.max.age.ms", "topic.metadata.refresh.interval.ms"),
      autocreateTopics: text("allow.auto.create.topics") === "true",
      autocommit: false,
      retries: 1,
      retryDelay: 250,
      ...(clientRack !== undefined && { clientRack }),
      ...(groupInstanceId !== undefined && { groupInstanceId }),
      ...security(text),
    },
    begins: beginningOf(text("auto.offset.reset") ?? "latest"),
    fetch: {
      waitMaxMs: number(500, "fetch.wait.max.ms"),
      maxBytes: number(8 * 1024 * 1024, "fetch.max.bytes"),
      partitionMaxBytes: number(1024 * 1024, "max.partition.fetch.bytes", "fetch.message.max.bytes"),
    },
    readsUncommitted: text("isolation.level") === "read_uncommitted",
  };
  return { ...options, ignored: Object.keys(properties).filter((name) => !read.has(name) && !isOwn(name)) };
}

function isOwn(name: string): boolean {
  return name.startsWith("stepwell.");
}

type Text = (...names: readonly string[]) => string | undefined;

function security(text: Text): Pick<ClientOptions["consumer"], "tls" | "tlsServerName" | "sasl"> {
  const protocol = (text("security.protocol") ?? "plaintext").toLowerCase();
  if (!["plaintext", "ssl", "sasl_plaintext", "sasl_ssl"].includes(protocol))
    throw new PropertyError(`security.protocol is plaintext, ssl, sasl_plaintext or sasl_ssl, and not '${protocol}'`);
  const [tls, sasl] = [tlsOptions(text), saslOptions(text, protocol.startsWith("sasl"))];
  return {
    ...(protocol.endsWith("ssl") && { tls, tlsServerName: true }),
    ...(sasl && { sasl }),
  };
}

function saslOptions(text: Text, isWanted: boolean): ClientOptions["consumer"]["sasl"] {
  const asked = text("sasl.mechanism", "sasl.mechanisms")?.toUpperCase() ?? "PLAIN";
  const [username, password] = [text("sasl.username"), text("sasl.password")];
  if (!isWanted) return undefined;
  const mechanism = MECHANISMS.find((one) => one === asked);
  if (mechanism === undefined)
    throw new PropertyError(
      `the mechanism '${asked}' is not supported; sasl.mechanism is one of ${MECHANISMS.join(", ")}`,
    );
  if (username === undefined || password === undefined)
    throw new PropertyError(`the mechanism ${mechanism} needs sasl.username and sasl.password`);
  return { mechanism, username, password };
}

function tlsOptions(text: Text): NonNullable<ClientOptions["consumer"]["tls"]> {
  const ca = pem(text, "ssl.ca");
  const cert = pem(text, "ssl.certificate");
  const key = pem(text, "ssl.key");
  const passphrase = text("ssl.key.password");
  const verifies = text("enable.ssl.certificate.verification") !== "false";
  const namesHost = (text("ssl.endpoint.identification.algorithm") ?? "https") !== "none";
  return {
    rejectUnauthorized: verifies,
    ...(ca !== undefined && { ca }),
    ...(cert !== undefined && { cert }),
    ...(key !== undefined && { key }),
    ...(passphrase !== undefined && { passphrase }),
    ...(!namesHost && { checkServerIdentity: () => undefined }),
  };
}

/** The value of `<name>.pem`, or the content of the file at `<name>.location`. */
function pem(text: Text, name: string): string | undefined {
  const [given, path] = [text(`${name}.pem`), text(`${name}.location`)];
  if (given !== undefined || path === undefined) return given;
  try {
    if (statSync(path).size <= PEM_MAX_BYTES) return readFileSync(path, "utf8");
  } catch (error) {
    throw new PropertyError(`the file of ${name}.location cannot be read: ${(error as NodeJS.ErrnoException).code}`);
  }
  throw new PropertyError(`the file of ${name}.location has more than ${PEM_MAX_BYTES} bytes`);
}

/** A broker without a port has the port 9092. A scheme before the host, as in `PLAINTEXT://b:9092`, is ignored. */
function brokers(list: string | undefined): { host: string; port: number }[] {
  const entries = (list ?? "").split(",").map((one) => one.trim().replace(/^[a-z_]+:\/\//i, ""));
  const found = entries.filter((one) => one !== "").map(brokerOf);
  if (found.length > 0) return found;
  throw new PropertyError(
    "no broker is given; set bootstrap.servers to <host>:<port>, more of them separated by commas",
  );
}

function brokerOf(entry: string): { host: string; port: number } {
  const [, host, port = "9092"] = /^(\[[0-9a-f:.]+\]|[^:\s/]+)(?::(\d{1,5}))?$/i.exec(entry) ?? [];
  if (host === undefined || Number(port) > 65_535)
    throw new PropertyError(`'${entry}' in bootstrap.servers is not <host>:<port>`);
  return { host: host.replace(/^\[|\]$/g, ""), port: Number(port) };
}

function beginningOf(asked: string): Beginning {
  const found = BEGINNINGS[asked.toLowerCase()];
  if (found !== undefined) return found;
  throw new PropertyError(`auto.offset.reset is earliest, latest or error, and not '${asked}'`);
}

function numberOf(given: string | undefined, name: string, fallback: number): number {
  if (given === undefined) return fallback;
  if (/^\d{1,10}$/.test(given)) return Number(given);
  throw new PropertyError(`${name} is a whole number, and not '${given}'`);
}

/** @returns why connections to the address are forbidden; undefined if they are allowed */
export type AddressRefusal = (address: string) => string | undefined;

/** @throws Error if the host has a forbidden address, or no address */
export async function assertAllowed({ host }: Broker, refusalOf: AddressRefusal): Promise<void> {
  const addresses = isIP(host) === 0 ? (await lookup(host, { all: true })).map(({ address }) => address) : [host];
  for (const address of addresses) {
    const reason = refusalOf(address);
    if (reason !== undefined)
      throw new Error(`the broker ${host} has the address ${address} (${reason}), to which Stepwell does not connect`);
  }
}
