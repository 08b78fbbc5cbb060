/** The one table of every META and RT code: what it means, what we do about it, and what its reader can do. */

/** `reject` answers a request with an HTTP status; `retry` and `pause` are about attempts; `refuse-start` ends the process; `warn` only tells. */
export type Outcome =
  | { readonly kind: "reject"; readonly status: number }
  | { readonly kind: "retry" }
  | { readonly kind: "pause" }
  | { readonly kind: "refuse-start" }
  | { readonly kind: "warn" };

export interface ErrorEntry {
  /** What has happened, as a sentence without its full stop; a detail may follow it. */
  readonly title: string;
  readonly outcome: Outcome;
  /** What to do about it, in whole sentences. */
  readonly remedy: string;
}

const RETRY = { kind: "retry" } as const;
const WARN = { kind: "warn" } as const;
const REFUSE_START = { kind: "refuse-start" } as const;

function reject<Status extends number>(status: Status): { readonly kind: "reject"; readonly status: Status } {
  return { kind: "reject", status };
}

export const ERRORS = {
  META0003: {
    title: "The deployment cannot be reached for discovery",
    outcome: reject(500),
    remedy:
      "Check the address, that the deployment runs and that this server can reach it. Where it asks for authentication, pass the headers as additional_headers.",
  },
  META0004: {
    title: "A deployment with this address is registered already",
    outcome: reject(409),
    remedy:
      "Register the changed deployment under a new address. With force it replaces the registered one, which may leave invocations in flight unable to go on.",
  },
  META0005: {
    title: "The service name is reserved",
    outcome: reject(400),
    remedy:
      "Choose a name that does not begin with 'restate' and is not 'openapi'. At server start this code can mean a damaged meta store: make it anew by registering the deployments in their original order.",
  },
  META0006: {
    title: "The new revision conflicts with the registered one",
    outcome: reject(409),
    remedy:
      "Keep the type of the service and every handler of the earlier revision, give the service a new name, or register with breaking.",
  },
  META0009: {
    title: "The subscription is not valid",
    outcome: reject(400),
    remedy:
      "The source is kafka://<cluster>/<topic> with a configured cluster; the sink is service://<service>/<handler> with a registered handler.",
  },
  META0010: {
    title: "The meta store was written by an incompatible version of the server",
    outcome: REFUSE_START,
    remedy: "Start the version that wrote it, migrate it, empty it, or choose another directory.",
  },
  META0011: {
    title: "The meta store holds data but no version file",
    outcome: REFUSE_START,
    remedy: "It is damaged, or older than 0.8. Empty the directory or choose another one.",
  },
  META0012: {
    title: "The deployment and this server share no protocol version",
    outcome: reject(500),
    remedy: "Use versions of the SDK and of the server that fit each other.",
  },
  META0013: {
    title: "The deployment answered the discovery with something that cannot be used",
    outcome: reject(500),
    remedy:
      "Check that the address is that of an SDK endpoint, and that the versions of the SDK and of the server fit each other.",
  },
  META0014: {
    title: "The deployment seems to speak HTTP/1.1 only",
    outcome: reject(500),
    remedy: "Register it with use_http_11 (--use-http1.1). Deployments meant for production speak HTTP/2.",
  },
  META0015: {
    title: "The deployment announces the bidirectional mode over a transport that has none",
    outcome: reject(500),
    remedy: "Let the endpoint announce the request-response mode.",
  },
  META0016: {
    title: "The discovered deployment differs too much from the one it would update",
    outcome: reject(400),
    remedy:
      "Keep every service with its type and handlers, and exactly the same protocol versions: in general the same minor version of the SDK.",
  },
  META0017: {
    title: "Two or more deployments share this address",
    outcome: reject(409),
    remedy: "Delete one of them (DELETE /deployments/{deployment_id}), so that it is clear which one is replaced.",
  },
  RT0001: {
    title: "The deployment has been silent for longer than the abort timeout",
    outcome: RETRY,
    remedy: "Look for code in the handler that blocks, or raise worker.invoker.abort-timeout.",
  },
  RT0002: {
    title: "The configuration cannot be read",
    outcome: REFUSE_START,
    remedy: "Correct the value named here, in the configuration file, the environment or the flags.",
  },
  RT0003: {
    title: "A message of the deployment is larger than the limit",
    outcome: RETRY,
    remedy: "Make inputs, outputs and state entries smaller, or raise worker.invoker.message-size-limit.",
  },
  RT0004: {
    title: "The address cannot be bound",
    outcome: REFUSE_START,
    remedy:
      "Stop the process that holds the port, choose another port, or get the right to bind it (ports below 1024 may need one).",
  },
  RT0005: {
    title: "The store is locked by another process",
    outcome: REFUSE_START,
    remedy: "Stop the process that holds it, or choose another --data-dir.",
  },
  RT0006: {
    title: "The service could not be invoked",
    outcome: RETRY,
    remedy: "Look into the logs of the deployment and of this server.",
  },
  RT0007: {
    title: "The handler failed with an error that is retried",
    outcome: RETRY,
    remedy: "Nothing, where it passes by itself: the handler is replayed from where it left. Else mend the handler.",
  },
  RT0009: {
    title: "The journal store has no storage format version that this server can read",
    outcome: REFUSE_START,
    remedy: "Empty the directory, choose another one, or start the version that wrote it.",
  },
  RT0010: {
    title: "The network failed between this server and the deployment",
    outcome: RETRY,
    remedy: "Check that the deployment runs, that it can be reached, and that its address is the registered one.",
  },
  RT0011: {
    title: "No deployment was found to process the invocation",
    outcome: RETRY,
    remedy: "Register the deployment again, resume the invocation on another one, or kill it.",
  },
  RT0012: {
    title: "The deployment broke the protocol",
    outcome: RETRY,
    remedy: "Check that the versions of the SDK and of the server fit each other; else it is an error of the SDK.",
  },
  RT0013: {
    title: "The deployment supports none of the protocol versions of this server",
    outcome: RETRY,
    remedy: "Use versions of the SDK and of the server that fit each other.",
  },
  RT0014: {
    title: "The invocation began with a protocol version that this server no longer speaks",
    outcome: RETRY,
    remedy: "Go back to the earlier version of the server, or kill the invocation.",
  },
  RT0015: {
    title: "The deployment no longer supports the protocol version found at its registration",
    outcome: RETRY,
    remedy:
      "Register the deployment with the new SDK as a new one, and bring the old one back for the invocations in flight.",
  },
  RT0016: {
    title: "The handler took another path than its journal",
    outcome: RETRY,
    remedy:
      "Register changed code under a new address, and keep handlers deterministic: time, random numbers and results of requests belong into ctx.run.",
  },
  RT0017: {
    title: "An entry does not meet a precondition",
    outcome: RETRY,
    remedy:
      "Correct the handler: the entry named here and those after it are dropped, and the handler is replayed up to it.",
  },
  RT0018: {
    title: "The handler calls a service or handler that does not exist",
    outcome: RETRY,
    remedy: "Register the handler that is called. Where it was registered a moment ago, this passes by itself.",
  },
  RT0019: {
    title: "The deployment answered that the content is too large",
    outcome: RETRY,
    remedy: "Make the messages smaller, or raise the limit of the platform.",
  },
  RT0020: {
    title: "The deployment uses a deprecated protocol version",
    outcome: reject(400),
    remedy: "Upgrade the SDK and register a new deployment.",
  },
  RT0021: {
    title: "The inactivity timeout is not applied in request-response mode",
    outcome: WARN,
    remedy: "Remove the setting, or leave it for transports that keep the stream open.",
  },
  RT0022: {
    title: "The journal retention is cut to the maximum of this server",
    outcome: WARN,
    remedy: "Ask for less, or raise max-journal-retention.",
  },
  RT0023: {
    title: "The deployment limits the rate of requests",
    outcome: RETRY,
    remedy:
      "Nothing, where it passes by itself: a Retry-After header is honoured. Else give the deployment more capacity.",
  },
} as const satisfies Record<string, ErrorEntry>;

export type ErrorCode = keyof typeof ERRORS;

/** Codes that only tell: they stand beside an answer and are never thrown. */
export type WarningCode = {
  [Code in ErrorCode]: (typeof ERRORS)[Code]["outcome"]["kind"] extends "warn" ? Code : never;
}[ErrorCode];

export type ThrownCode = Exclude<ErrorCode, WarningCode>;

export const ERROR_CODES = Object.keys(ERRORS) as readonly ErrorCode[];

export function isErrorCode(text: string): text is ErrorCode {
  return Object.hasOwn(ERRORS, text);
}
