/** All settings: key, kind, default, meaning and other names. Configuration files, variables, flags and docs follow this table. */
import { kafkaClusters } from "./kafka-cluster-list.ts";
import { headerNames, hostNames, origins, principals } from "./name-list.ts";
import {
  also,
  choice,
  count,
  countOrShare,
  countOrUnlimited,
  duration,
  factor,
  flag,
  interval,
  optionalDuration,
  optionalKeyFile,
  optionalSize,
  optionalText,
  port,
  secretText,
  size,
  sizeFrom,
  text,
  wholeWithin,
  type Setting,
  type Alias,
} from "./setting-kinds.ts";

/** `host:port`, in which a host with colons is in brackets. */
const ADDRESS = /^(?:\[([^\]]+)\]|([^[\]/]*)):(\d+)$/;
const LEVELS: Readonly<Record<string, string>> = { trace: "debug", off: "silent" };
/** In a filter such as `warn,restate=info`, the program's own level follows this text. */
const OWN_LEVEL = "restate=";

/** The host of an address such as `0.0.0.0:8080`. */
function hostOf(name: string): Alias {
  return { name, translate: (raw) => (typeof raw === "string" ? (hostIn(raw) ?? raw) : raw) };
}

function hostIn(address: string): string | undefined {
  const [, bracketed, plain] = ADDRESS.exec(address) ?? [];
  return bracketed ?? plain;
}

/** The port of an address such as `0.0.0.0:8080`. */
function portOf(name: string): Alias {
  return { name, translate: (raw) => (typeof raw === "string" ? (ADDRESS.exec(raw)?.[3] ?? raw) : raw) };
}

/** `true` asks for a free port. */
function randomPort(name: string): Alias {
  return {
    name,
    translate(raw) {
      const written = String(raw).toLowerCase();
      if (written === "true") return "0";
      // Any other value is put into a list, so that the setting refuses it even if it is a number.
      return written === "false" ? undefined : [raw];
    },
  };
}

/** The level of a filter such as `warn,restate=info`; a filter that names other parts of a program has no equal here. */
function levelOf(name: string): Alias {
  return {
    name,
    translate(raw) {
      if (typeof raw !== "string") return raw;
      const directives = raw.split(",").map((directive) => directive.trim().toLowerCase());
      const own = directives.find((directive) => directive.startsWith(OWN_LEVEL))?.slice(OWN_LEVEL.length);
      if (directives.some((directive) => directive.includes("=") && !directive.startsWith(OWN_LEVEL))) return undefined;
      const level = own ?? directives.at(-1)!;
      return LEVELS[level] ?? level;
    },
  };
}

/** The reference's `compact` writes each event as one line of plain text, as `pretty` does here. */
function formatOf(name: string): Alias {
  return { name, translate: (raw) => (String(raw).toLowerCase() === "compact" ? "pretty" : raw) };
}

/** The schemes of the reference server and `grpcs`, each with the scheme under which the value is kept. */
const SCHEMES: Readonly<Record<string, "http" | "https" | "grpc" | "grpcs">> = {
  "otlp+http": "http",
  "http+otlp": "http",
  "otlp+https": "https",
  "https+otlp": "https",
  grpc: "grpc",
  "otlp+grpc": "grpc",
  "grpc+otlp": "grpc",
  grpcs: "grpcs",
};
const GRPC = { http: "grpc", https: "grpcs" } as const;
const SCHEME = /^([a-z][a-z+]{0,20}):\/\/(?=[^/])/i;
/** Collectors accept OTLP over gRPC on this port by convention, and a gRPC address has no path. */
const GRPC_PORT = "4317";
const TRACES_PATH = "/v1/traces";

/** Reads `http://…`, `https://…`, `grpc://host:port` or `grpcs://host:port`; an address over HTTP always has a path. */
function optionalCollectorAddress(doc: string): Setting<string | undefined> {
  return {
    kind: "text",
    fallbackText: "",
    fallback: undefined,
    doc,
    mayBeSecret: true,
    expected:
      "an address that begins with http://, https://, otlp+http://, otlp+https://, grpc:// or grpcs://, such as http://localhost:4318 (OTLP over HTTP) or grpc://localhost:4317 (OTLP over gRPC)",
    read(raw) {
      const address = typeof raw === "string" ? canonical(raw) : undefined;
      return address === undefined ? undefined : { value: address };
    },
  };
}

function canonical(raw: string): string | undefined {
  const given = SCHEME.exec(raw)?.[1]?.toLowerCase();
  if (given === undefined) return undefined;
  const isPlain = given === "http" || given === "https";
  const scheme = isPlain ? given : SCHEMES[given];
  const rest = raw.slice(given.length);
  // The parser of URLs knows the ports and paths of http and https alone.
  const text = `${scheme === "http" || scheme === "grpc" ? "http" : "https"}${rest}`;
  if (scheme === undefined || !URL.canParse(text)) return undefined;
  const url = new URL(text);
  const hasPath = url.pathname !== "/" || url.search !== "";
  if (scheme === "grpc" || scheme === "grpcs") return hasPath ? undefined : `${scheme}://${url.host}`;
  if (isPlain && url.port === GRPC_PORT && !hasPath) return `${GRPC[given]}://${url.host}`;
  if (url.pathname === "/") url.pathname = TRACES_PATH;
  return url.href;
}

/** The known versions of the service protocol. */
const PROTOCOL_VERSIONS = { min: 5, max: 7 };

export const SETTINGS = {
  "data-dir": also(text("./.stepwell", "The directory of the two stores, meta and journal."), "base-dir"),
  "meta.storage-path": optionalText("The directory of the meta store; by default <data-dir>/meta."),
  "worker.storage.path": also(
    optionalText("The directory of the journal store; by default <data-dir>/journal."),
    "worker.storage-rocksdb.path",
  ),
  "cluster-name": text("stepwell", "The name that deployments receive in the header x-restate-cluster-name."),
  "request-identity-private-key-pem-file": also(
    optionalKeyFile("An Ed25519 private key in PEM (PKCS#8); Stepwell signs requests to deployments with it."),
    "worker.invoker.request-identity-private-key-pem-file",
  ),
  "tracing-endpoint": also(
    optionalCollectorAddress(
      "The collector of spans. OTLP over HTTP: http://localhost:4318 or otlp+http://localhost:4318/v1/traces; an address without a path gets /v1/traces. OTLP over gRPC: grpc://localhost:4317, grpcs:// with TLS, or http:// and https:// with port 4317 and no path. Without this setting Stepwell traces nothing.",
    ),
    "tracing-services-endpoint",
  ),
  "shutdown-timeout": duration(
    "5s",
    "How long running attempts may continue after the process has got the signal to stop.",
  ),

  "memory-size": optionalSize(
    "The memory that this process divides into its budgets; by default half of the memory of the machine or the container, and 1 GiB at most.",
  ),

  "listeners.headers-size-limit": sizeFrom(
    "8KiB",
    "64KiB",
    "The request line with the headers of one request, over HTTP/1.1 and HTTP/2; a larger request gets 431 over HTTP/1.1, and its stream is reset over HTTP/2. The number of headers has no limit of its own.",
  ),
  "listeners.connections-limit": countOrShare(
    "The connections of the ingress at a time, and those of the admin API. A further connection ends the one that has been without a request for longest, or else the one whose request has been arriving for longest, from five seconds on, or else one of the client that has the most, if the new client has fewer. If none gives way, it gets 503. A client is an address of IPv4, a /64 of IPv6, or this machine. The share is a third of the files that the process may open, and at most 10000.",
  ),
  "listeners.head-timeout": interval(
    "1m",
    "How long a new connection may send nothing, and how long the request line with the headers may take to arrive (408).",
  ),
  "listeners.request-timeout": interval("5m", "How long a request with its body may take to arrive (408)."),
  "listeners.idle-timeout": interval(
    "75s",
    "How long a connection may have no request. Make it longer than that of clients and proxies, so that they close first.",
  ),
  "listeners.unread-timeout": interval("1m", "How long a client may read nothing of its answer."),

  "ingress.bind": also(
    text("127.0.0.1", "The address on which handlers are called."),
    hostOf("ingress.bind-address"),
    "ingress.bind-ip",
    "bind-ip",
  ),
  "ingress.port": also(
    port("8080", "The port on which handlers are called; 0 takes a free one."),
    portOf("ingress.bind-address"),
    "ingress.bind-port",
    randomPort("ingress.use-random-ports"),
    randomPort("use-random-ports"),
  ),
  "ingress.kafka-clusters": kafkaClusters(
    "Kafka clusters for subscriptions, as tables [[ingress.kafka-clusters]] with a name, brokers and properties as those of librdkafka; further clusters come by POST /kafka-clusters.",
  ),
  "ingress.request-size-limit": size("32MiB", "The largest request body that the ingress accepts."),
  "ingress.bodies-size-limit": optionalSize(
    "The memory for bodies of requests that the ingress has yet to answer; by default a sixteenth of memory-size. One connection holds at most as much as is still free; a request without room gets 503 after 10s. Bodies up to 16KiB do not count.",
  ),
  "ingress.answers-size-limit": optionalSize(
    "The memory for answers of the ingress that clients have yet to read; by default an eighth of memory-size. One connection holds at most as much as is still free; a request whose answer has no room gets 503 after 15s, and the result stays. Answers up to 16KiB do not count.",
  ),
  "ingress.concurrent-api-requests-limit": countOrUnlimited(
    "unlimited",
    "Requests that the ingress reads and answers at the same time; further requests get 429 before the ingress reads their body.",
  ),
  "ingress.forward-headers": headerNames(
    "Headers with credentials (authorization, cookie, x-api-key, x-amz-*) that handlers get, and the journal with them; the same names in the query of a call.",
  ),
  "ingress.journaled-headers": headerNames(
    "The only headers of a call that handlers get, and the journal with them, beside those of ingress.forward-headers; none for all that have no credentials.",
  ),
  "ingress.credentialed-origins": origins(
    "Origins of web pages that may call the local ingress with the credentials of the browser, such as a cookie of an authenticating proxy; pages of all other origins may call without.",
  ),
  "ingress.bind-to-caller": flag(
    "false",
    "Whether idempotency keys, ids and keys of workflows lead a caller only to what the same principal made; needs an ingress that authenticates, and is on in a stack whose ingress does.",
  ),
  "ingress.readers-of-all": principals(
    "ARNs of the roles and users that may attach to every invocation and look all of them up in spite of ingress.bind-to-caller.",
  ),

  "admin.bind": also(
    text("127.0.0.1", "The address of the admin API."),
    hostOf("admin.bind-address"),
    "admin.bind-ip",
    "bind-ip",
  ),
  "admin.port": also(
    port("9070", "The port of the admin API; 0 takes a free one."),
    portOf("admin.bind-address"),
    "admin.bind-port",
    randomPort("admin.use-random-ports"),
    randomPort("use-random-ports"),
  ),
  "admin.auth": choice(
    ["token", "off"],
    "Whether the local admin API wants a token of its clients: the content of the file admin-token in data-dir, sent as a bearer token. With off, every user of the machine is an operator. On AWS, IAM decides.",
  ),
  "admin.token": secretText(
    "The token of the local admin API, of 32 to 512 letters, digits and -._~+/=; it replaces the one in the file admin-token of data-dir, which is random.",
    /^[\w.~+/=-]{32,512}$/,
    "32 to 512 letters, digits or characters of -._~+/=",
  ),
  "admin.allowed-hosts": hostNames(
    "Host names that the local admin API accepts beside addresses and localhost; where admin.bind is no loopback address, it also accepts names without a dot and names that end with .local, .internal, .svc or .test; * accepts all. It refuses other names, since a web page could use them.",
  ),
  "admin.disable-web-ui": also(flag("false", "Whether the admin API serves no web UI at /ui/."), "disable-web-ui"),
  "admin.request-size-limit": size("4MiB", "The largest request body that the admin API accepts."),
  "admin.query-engine.memory-size": sizeFrom(
    "16MiB",
    "256MiB",
    "The memory that one SQL statement may take in its process, on AWS at most half of the function's memory; two run at a time.",
  ),
  "admin.query-engine.time-limit": interval(
    "30s",
    "How long one SQL statement may take, without the time in which it waits for a client that reads its rows slowly; on AWS at most the function's time.",
  ),
  "admin.bodies-size-limit": optionalSize(
    "As ingress.bodies-size-limit, for the admin API; by default a thirty-second of memory-size.",
  ),
  "admin.answers-size-limit": optionalSize(
    "As ingress.answers-size-limit, for the admin API; by default an eighth of memory-size.",
  ),

  "worker.lease": interval("10s", "How long a driver holds an invocation without renewing its lease."),
  "worker.wait-in-driver": duration(
    "1s",
    "Retries that are due within this time wait in the driver; for later ones the invocation is parked.",
  ),
  "worker.queue-delay": interval(
    "15m",
    "The longest delay of a wake in the queue; later wakes go to the timers. SQS delays a message for 15m at most.",
  ),
  "worker.cleanup-interval": interval("1m", "How often the local process removes expired items."),
  "worker.check-interval": interval(
    "10m",
    "How often the sweeper looks at a parked invocation that no timer wakes; it looks less often at one that has waited for long.",
  ),

  "sweeper.listing-age": duration(
    "5m",
    "The age from which the sweeper looks at an accepted invocation that no process drives.",
  ),

  "worker.invoker.concurrent-invocations-limit": count(
    "1000",
    "Invocations driven at the same time for which no request waits: those of sends, timers and topics.",
  ),
  "worker.invoker.concurrent-invocations-limit-per-service": countOrShare(
    "The most invocations of one service within concurrent-invocations-limit; share means as many as all services leave free.",
  ),
  "worker.invoker.concurrent-invocations-limit-per-deployment": countOrShare(
    "The most invocations of one deployment within concurrent-invocations-limit; share means twice as many as all deployments leave free.",
  ),
  "worker.invoker.replies-size-limit": optionalSize(
    "The memory for replies that the store has yet to write; by default a sixteenth of memory-size. One deployment holds at most as much as is still free, and waits beyond that; one attempt may send twice the whole.",
  ),
  "worker.invoker.journals-size-limit": optionalSize(
    "The memory for journals above 64 KiB, on AWS above 4 MiB, and for the states that go with requests; by default a sixteenth of memory-size. One service holds at most as much as is still free, and its invocations wait beyond that. One journal grows to twice the whole, and to 128 MiB at least; beyond that, waiting results pause the invocation (RT0903).",
  ),
  "worker.invoker.message-size-limit": size("32MiB", "The largest message of a deployment (RT0003)."),
  "worker.invoker.eager-state-size-limit": size(
    "1MiB",
    "How much of the state of an object goes with each request; handlers ask for the rest.",
  ),
  "worker.invoker.disable-eager-state": flag(
    "false",
    "Whether requests go without state, so that handlers ask for each value.",
  ),
  "worker.invoker.open-exchanges": flag(
    "true",
    "Whether an attempt stays open over many steps if its deployment announces bidirectional streaming and is reached over HTTP/2.",
  ),
  "worker.invoker.open-wait": optionalDuration(
    "How long an open attempt is held while its handler only waits for something that this process does not do: a signal, a sleep, a call driven elsewhere; then this side closes, and the handler suspends. A wait on AWS is paid for twice, here and at the deployment, so it is 0s there by default. In the local process it is the inactivity timeout, which bounds it in any case.",
  ),
  "worker.invoker.inactivity-timeout": duration(
    "1m",
    "How long an open attempt may wait without a message; then this side closes, and the handler suspends at its next await. `0s` keeps no attempt open.",
  ),
  "worker.invoker.abort-timeout": duration(
    "10m",
    "How long an attempt may stay without a message before it is aborted (RT0001).",
  ),
  "worker.invoker.connect-timeout": duration("10s", "How long connecting to a deployment may take."),
  "worker.invoker.circuit-breaker": flag(
    "true",
    "While all attempts on a service of a deployment fail, Stepwell makes one attempt at a time until one succeeds.",
  ),
  "worker.invoker.min-protocol-version": wholeWithin(
    "5",
    "The lowest version of the service protocol that the server speaks, also for open invocations (RT0013, RT0014).",
    PROTOCOL_VERSIONS,
  ),
  "worker.invoker.max-protocol-version": wholeWithin(
    "7",
    "The highest version of the service protocol that the server speaks.",
    PROTOCOL_VERSIONS,
  ),
  "worker.invoker.deprecated-below-protocol-version": wholeWithin(
    "5",
    "Deployments that speak only versions below this one are not registered and get no new invocations (META0012, RT0020); open invocations continue.",
    PROTOCOL_VERSIONS,
  ),

  "default-retry-policy.initial-interval": duration("500ms", "The time before the first retry."),
  "default-retry-policy.exponentiation-factor": factor(
    "2",
    "The factor by which the time before each further retry grows.",
  ),
  "default-retry-policy.max-interval": duration("1m", "The longest wait between two attempts."),
  "default-retry-policy.max-attempts": countOrUnlimited("70", "The number of attempts, including the first."),
  "default-retry-policy.on-max-attempts": choice(["pause", "kill"], "What happens after the last attempt."),

  "deadline-grace": duration(
    "30s",
    "How long an invocation that is cancelled because its deadline has passed may still run; then it is killed (RT0911).",
  ),
  "default-journal-retention": also(
    duration("1d", "How long the journal of a completed invocation is kept."),
    "journal-retention",
  ),
  "max-journal-retention": optionalDuration("The longest journal retention that a service may have (RT0022)."),
  "default-idempotency-retention": duration("1d", "How long the result of an idempotent call is kept."),
  "default-workflow-completion-retention": duration("1d", "How long the result of a workflow is kept."),

  "aws.table": optionalText("The DynamoDB table of invocations and deployments."),
  "aws.queue-url": optionalText("The SQS queue of wakes, by its URL."),
  "aws.slow-queue-url": optionalText(
    "The URL of the SQS queue of wakes for slow services: those with a handler that took `aws.slow-from` within the last seven days. Without it all services share one queue.",
  ),
  "aws.queue-arn": optionalText("The ARN of the same queue, to which schedules send."),
  "aws.dead-letter-queue-url": optionalText("The dead-letter queue, by its URL: wakes that no worker could process."),
  "aws.fair-queue": choice(
    ["service", "none"],
    "The message group by which the queue is fair, so that no service waits behind a flood of messages for another; SQS charges extra for fair queues.",
  ),
  "aws.timers": choice(
    ["scheduler", "ladder"],
    "Where late wakes wait: in EventBridge Scheduler, or in the queue as a chain of delayed messages.",
  ),
  "aws.schedule-group": optionalText("The group of schedules in EventBridge Scheduler."),
  "aws.schedule-role-arn": optionalText("The role with which EventBridge Scheduler sends to the queue."),
  "aws.ingress-time": duration(
    "25s",
    "How long a request waits for its result; then the answer says where to ask for it.",
  ),
  "aws.slow-from": duration(
    "5s",
    "The age from which an attempt is slow: ingress functions leave a handler to the workers once they have cut such an attempt for time, and a service with such an open attempt moves to the slow lane.",
  ),
  "aws.allowed-addresses": optionalText(
    "Address ranges, separated by commas, in which deployments may be beside public addresses, and for which http:// is allowed: 10.4.0.0/16, private, loopback.",
  ),
  "aws.parameters": optionalText(
    "The path of the SSM parameters with the keys; without it the secret is in the table, and Stepwell does not sign requests.",
  ),
  "aws.signing-key": count(
    "1",
    "The number of the key that signs requests to deployments; they trust the next one, too.",
  ),
  "aws.index-shards": wholeWithin(
    "8",
    "Partitions of each index: one carries some 1,000 acceptances a second, and each more costs a list two queries. Only ever raised.",
    { min: 1, max: 16 },
  ),
  "aws.handler-tag": optionalText(
    "The value of the tag `stepwell` on functions that Stepwell may call as handlers; errors about refused calls suggest this tag.",
  ),
  "aws.topics-function": optionalText("The function to which Lambda delivers records of Kafka topics."),
  "aws.external-id": optionalText("The external id that Stepwell passes when it assumes a role to call functions."),
  "aws.caller-claim": text(
    "sub",
    "The claim of a token that names the caller, for an ingress behind JWT; handlers get it after the issuer, in x-stepwell-caller.",
  ),
  "aws.metrics": choice(
    ["emf", "none"],
    "Whether functions write metrics into their logs, where CloudWatch reads them.",
  ),
  "aws.ingress-endpoint": optionalText("The address of the ingress that the admin API shows."),

  "log.level": also(
    choice(["info", "debug", "warn", "error", "silent"], "The lowest level that is logged."),
    levelOf("log-filter"),
  ),
  "log.format": also(choice(["pretty", "json"], "How log lines are written."), formatOf("log-format")),
} as const satisfies Record<string, Setting<unknown>>;

export type SettingPath = keyof typeof SETTINGS;

export type Settings = {
  readonly [Path in SettingPath]: (typeof SETTINGS)[Path]["fallback"];
};

export const SETTING_PATHS = Object.keys(SETTINGS) as readonly SettingPath[];
