/** The RT codes: attempts, configuration, and the start of the process. */
import { REFUSE_START, reject, RETRY, WARN } from "./error-entry.ts";
import type { ErrorEntry } from "./error-entry.ts";

export const RUNTIME_ERRORS = {
  RT0001: {
    title: "The deployment has been silent for longer than the abort timeout",
    arises:
      "No byte has come from the deployment for `worker.invoker.abort-timeout`, or for the handler's own abort timeout.",
    outcome: RETRY,
    remedy: "Look for code in the handler that blocks, or raise worker.invoker.abort-timeout.",
  },
  RT0002: {
    title: "The configuration cannot be read",
    arises:
      "At start: the file is no TOML or cannot be read, or a known setting has a value of another form. The text names file, line and key, or the variable, or the flag.",
    outcome: REFUSE_START,
    remedy: "Correct the value named here, in the configuration file, the environment or the flags.",
  },
  RT0003: {
    title: "A message of the deployment is larger than the limit",
    arises: "A deployment announces a message above `worker.invoker.message-size-limit`.",
    outcome: RETRY,
    remedy: "Make inputs, outputs and state entries smaller, or raise worker.invoker.message-size-limit.",
  },
  RT0004: {
    title: "The address cannot be bound",
    arises: "At start: the ingress port or the admin port is taken, or may not be bound.",
    outcome: REFUSE_START,
    remedy:
      "Stop the process that holds the port, choose another port, or get the right to bind it (ports below 1024 may need one).",
  },
  RT0005: {
    title: "The store is locked by another process",
    arises:
      "At start: a living process holds the meta or the journal directory. A process that died holds nothing, however it died.",
    outcome: REFUSE_START,
    remedy: "Stop the process that holds it, or choose another --data-dir, meta.storage-path or worker.storage.path.",
  },
  RT0006: {
    title: "The service could not be invoked",
    arises:
      "An attempt failed in a way that is none of the others; or a wake that nobody could work on came out of the dead-letter queue, and the invocation is paused.",
    outcome: RETRY,
    remedy: "Look into the logs of the deployment and of this server.",
  },
  RT0007: {
    title: "The handler failed with an error that is retried",
    arises: "The handler ended with an error that is not terminal.",
    outcome: RETRY,
    remedy: "Nothing, where it passes by itself: the handler is replayed from where it left. Else mend the handler.",
  },
  RT0009: {
    title: "The journal store has no storage format version that this server can read",
    arises:
      "The local process starts on a journal directory whose VERSION file is missing, names another format or another kind of store, or is damaged; or the directory cannot be read.",
    outcome: REFUSE_START,
    remedy: "Empty the directory, choose another worker.storage.path, or start the version that wrote it.",
  },
  RT0010: {
    title: "The network failed between this server and the deployment",
    arises:
      "The deployment cannot be reached, the connection broke before the attempt's end was told, or a proxy answered 502 or 504.",
    outcome: RETRY,
    remedy: "Check that the deployment runs, that it can be reached, and that its address is the registered one.",
  },
  RT0011: {
    title: "No deployment was found to process the invocation",
    arises:
      "An invocation is due, and the deployment that it began on, or every deployment of its service, is no longer registered.",
    outcome: RETRY,
    remedy: "Register the deployment again, resume the invocation on another one, or kill it.",
  },
  RT0012: {
    title: "The deployment broke the protocol",
    arises:
      "The answer to an attempt has another content type or an unexpected status, or its messages are not those of the protocol: unknown, unreadable, or an end without an output.",
    outcome: RETRY,
    remedy: "Check that the versions of the SDK and of the server fit each other; else it is an error of the SDK.",
  },
  RT0013: {
    title: "The deployment supports none of the protocol versions of this server",
    arises:
      "The registered deployment has no protocol version in common with this server, which another version of the server had, or which `worker.invoker.min-protocol-version` and `worker.invoker.max-protocol-version` have taken from it.",
    outcome: RETRY,
    remedy: "Use versions of the SDK and of the server that fit each other.",
  },
  RT0014: {
    title: "The invocation began with a protocol version that this server no longer speaks",
    arises:
      "An invocation in flight is fixed to a protocol version that this server does not speak, or that the same settings have taken from it.",
    outcome: RETRY,
    remedy: "Go back to the earlier version of the server, or kill the invocation.",
  },
  RT0015: {
    title: "The deployment no longer supports the protocol version found at its registration",
    arises: "The deployment answers an attempt with 415.",
    outcome: RETRY,
    remedy:
      "Register the deployment with the new SDK as a new one, and bring the old one back for the invocations in flight.",
  },
  RT0016: {
    title: "The handler took another path than its journal",
    arises: "The SDK finds that the handler's steps are not those of the journal (its error 570).",
    outcome: RETRY,
    remedy:
      "Register changed code under a new address, and keep handlers deterministic: time, random numbers and results of requests belong into ctx.run.",
  },
  RT0017: {
    title: "An entry does not meet a precondition",
    arises:
      "A command is refused: state or promises in a plain service, a key for a service without keys, an empty idempotency key, a key or a name of more than 65,536 bytes, an id that is none.",
    outcome: RETRY,
    remedy:
      "Correct the handler: the entry named here and those after it are dropped, and the handler is replayed up to it.",
  },
  RT0018: {
    title: "The handler calls a service or handler that does not exist",
    arises: "A call or send names a service or handler that is not registered.",
    outcome: RETRY,
    remedy: "Register the handler that is called. Where it was registered a moment ago, this passes by itself.",
  },
  RT0019: {
    title: "The deployment answered that the content is too large",
    arises:
      "The deployment, or the platform before it, answers an attempt with 413. Where a call to a function cannot carry the journal or its answer (6 MB), the invocation is paused at once, because no further attempt could succeed.",
    outcome: RETRY,
    remedy:
      "Make the messages smaller, or raise the limit of the platform. For a function: use an SDK that compresses (zstd), or serve the handler over HTTP.",
  },
  RT0020: {
    title: "The deployment uses a deprecated protocol version",
    arises:
      "A call or a send goes to a handler whose deployment speaks only protocol versions below `worker.invoker.deprecated-below-protocol-version`. It was registered before that; what is in flight goes on. A command of a handler that calls such a deployment fails its attempt in the same words.",
    outcome: reject(400),
    remedy: "Upgrade the SDK and register a new deployment.",
  },
  RT0021: {
    title: "The inactivity timeout is not applied in request-response mode",
    arises: "A service or handler sets an inactivity timeout, and its deployment announces the request-response mode.",
    outcome: WARN,
    remedy: "Remove the setting, or leave it for transports that keep the stream open.",
  },
  RT0022: {
    title: "The journal retention is cut to the maximum of this server",
    arises: "A service, a handler or `default-journal-retention` asks for more than `max-journal-retention`.",
    outcome: WARN,
    remedy: "Ask for less, or raise max-journal-retention.",
  },
  RT0023: {
    title: "The deployment limits the rate of requests",
    arises: "The deployment, or the platform before it, answers an attempt with 429 or 503.",
    outcome: RETRY,
    remedy:
      "Nothing, where it passes by itself: a Retry-After header is honoured. Else give the deployment more capacity.",
  },
} as const satisfies Record<string, ErrorEntry>;
