/** The table of all META and RT codes: meaning, conditions, outcome and remedy. */
import { end, REFUSE_START, reject, PAUSE, RETRY, WARN, type ErrorEntry } from "./error-entry.ts";

/** The RT codes of the reference server: errors of attempts and of the start, a refusal of calls, and warnings about settings. */
const RUNTIME_ERRORS = {
  RT0001: {
    title: "The deployment has been silent for longer than the abort timeout",
    arises:
      "The deployment has sent no byte for `worker.invoker.abort-timeout`, or for the abort timeout of the handler.",
    outcome: RETRY,
    remedy: "Look for code in the handler that blocks, or raise worker.invoker.abort-timeout.",
  },
  RT0002: {
    title: "The configuration cannot be read",
    arises:
      "At start: the configuration file cannot be read or is not TOML, or the value of a setting does not have the form that the setting needs. The message names file, line and key, or the variable, or the flag.",
    outcome: REFUSE_START,
    remedy: "Correct the value that the message names: in the configuration file, the environment or the flags.",
  },
  RT0003: {
    title: "A message of the deployment is larger than the limit",
    arises: "A deployment announces a message that is larger than `worker.invoker.message-size-limit`.",
    outcome: RETRY,
    remedy: "Make inputs, outputs and state entries smaller, or raise worker.invoker.message-size-limit.",
  },
  RT0004: {
    title: "The address cannot be bound",
    arises: "At start: another process uses the ingress port or the admin port, or this process may not bind it.",
    outcome: REFUSE_START,
    remedy:
      "Stop the process that uses the port, choose another port, or get the right to bind this port (ports below 1024 may need it).",
  },
  RT0005: {
    title: "The store is locked by another process",
    arises:
      "At start: another process has the meta or the journal directory open. The lock ends with that process, even if the process is killed.",
    outcome: REFUSE_START,
    remedy: "Stop that process, or choose another --data-dir, meta.storage-path or worker.storage.path.",
  },
  RT0006: {
    title: "The service could not be invoked",
    arises:
      "An attempt failed for a reason that no other code names. Or no worker could process a wake of the invocation, the wake became a dead letter, and the invocation is paused.",
    outcome: RETRY,
    remedy: "Read the logs of the deployment and of this server.",
  },
  RT0007: {
    title: "The handler failed with an error that is retried",
    arises: "The handler ended with an error that is not terminal.",
    outcome: RETRY,
    remedy:
      "If the cause passes by itself, do nothing: the server replays the handler up to its last stored entry and continues there. Otherwise correct the handler.",
  },
  RT0009: {
    title: "The journal store has no storage format version that this server can read",
    arises:
      "The local process starts on a journal directory whose database is damaged, or whose VERSION file is missing, is damaged, or names another format or another kind of store.",
    outcome: REFUSE_START,
    remedy:
      "Start the version of the server that wrote the directory. If the message names a damaged file, restore a backup. Or empty the directory, or choose another worker.storage.path.",
  },
  RT0010: {
    title: "The network failed between this server and the deployment",
    arises:
      "The deployment cannot be reached, the connection broke before the end of the attempt, or a proxy answered 502 or 504.",
    outcome: RETRY,
    remedy: "Check that the deployment runs, that it can be reached, and that its address is the registered one.",
  },
  RT0011: {
    title: "No deployment was found to process the invocation",
    arises:
      "An invocation is due, but the deployment on which it began is no longer registered, or no deployment of its service is registered.",
    outcome: RETRY,
    remedy: "Register the deployment again, resume the invocation on another deployment, or kill the invocation.",
  },
  RT0012: {
    title: "The deployment broke the protocol",
    arises:
      "The answer to an attempt has another content type or an unexpected status, or its messages violate the protocol: a message is unknown or unreadable, or the end comes without an output. Or the attempt has more entries, elements or bytes than an attempt or a journal may have; the text names the limit. Or the deployment floods this server with heads, frames or bytes that carry nothing of an answer.",
    outcome: RETRY,
    remedy:
      "Check that the SDK and the server share a protocol version. If they do, and the text names no limit, the SDK, or a proxy in front of it, has a bug: report it there. Beyond a limit, let the handler read and store less, or split its work over several invocations.",
  },
  RT0013: {
    title: "The deployment supports none of the protocol versions of this server",
    arises:
      "The registered deployment and this server share no protocol version. The server has changed since the registration, or `worker.invoker.min-protocol-version` and `worker.invoker.max-protocol-version` exclude the shared ones.",
    outcome: RETRY,
    remedy: "Use a version of the SDK and a version of the server that share a protocol version.",
  },
  RT0014: {
    title: "The invocation began with a protocol version that this server no longer speaks",
    arises:
      "An open invocation is pinned to a protocol version that this server does not speak, or that `worker.invoker.min-protocol-version` and `worker.invoker.max-protocol-version` exclude.",
    outcome: RETRY,
    remedy: "Go back to the earlier version of the server, or kill the invocation.",
  },
  RT0015: {
    title: "The deployment no longer supports the protocol version found at its registration",
    arises: "The deployment answers an attempt with 415.",
    outcome: RETRY,
    remedy:
      "Register the deployment with the new SDK under a new address, and start the old one again for its open invocations.",
  },
  RT0016: {
    title: "The handler took another path than its journal",
    arises: "The SDK reports that the handler's steps differ from those in the journal (error 570 of the SDK).",
    outcome: RETRY,
    remedy:
      "Run `stepwell invocations describe`: it shows both sides and lists the ways out as commands. To prevent the error, register changed code under a new address, and keep handlers deterministic: read the time, random numbers and results of requests inside ctx.run.",
  },
  RT0017: {
    title: "An entry does not meet a precondition",
    arises:
      "The server refuses a command: it uses state or promises in a plain service, a key for a service without keys, an empty idempotency key, a key or a name of more than 65,536 bytes, an id that is not valid, or a header `x-stepwell-…` with a value that is not allowed.",
    outcome: RETRY,
    remedy:
      "Correct the handler. The server drops the entry that the message names and all later ones, and replays the handler up to that entry.",
  },
  RT0018: {
    title: "The handler calls a service or handler that does not exist",
    arises: "A call or send names a service or handler that is not registered.",
    outcome: RETRY,
    remedy: "Register the called handler. If it was registered a moment ago, do nothing: the error passes by itself.",
  },
  RT0019: {
    title: "The deployment answered that the content is too large",
    arises:
      "The deployment, or the platform in front of it, answers an attempt with 413. If the journal or the answer does not fit into a call of a function (6 MB), the invocation is paused at once, because no further attempt could succeed.",
    outcome: RETRY,
    remedy:
      "Make the messages smaller, or raise the limit of the platform. For a function: use an SDK that compresses (zstd), or serve the handler over HTTP.",
  },
  RT0020: {
    title: "The deployment uses a deprecated protocol version",
    arises:
      "A call or a send goes to a handler whose deployment speaks only protocol versions below `worker.invoker.deprecated-below-protocol-version`. The deployment was registered before that setting, and its open invocations continue. If a handler calls such a deployment, its attempt fails with the same message.",
    outcome: reject(400),
    remedy: "Upgrade the SDK and register a new deployment.",
  },
  RT0021: {
    title: "The inactivity timeout is not applied in request-response mode",
    arises: "A service or handler sets an inactivity timeout, and its deployment announces the request-response mode.",
    outcome: WARN,
    remedy: "Remove the setting: it takes effect only over transports that keep the stream open.",
  },
  RT0022: {
    title: "The journal retention is cut to the maximum of this server",
    arises: "A service, a handler or `default-journal-retention` asks for more than `max-journal-retention`.",
    outcome: WARN,
    remedy: "Ask for less, or raise max-journal-retention.",
  },
  RT0023: {
    title: "The deployment limits the rate of requests",
    arises: "The deployment, or the platform in front of it, answers an attempt with 429 or 503.",
    outcome: RETRY,
    remedy:
      "If the load passes by itself, do nothing: the server waits as long as a Retry-After header says. Otherwise give the deployment more capacity.",
  },
  RT0024: {
    title: "The handler misuses a scope or a limit key",
    arises:
      "A handler calls or sends with a scope or a limit key of another form than the one that they have, or with a limit key and no scope, or it attaches by a scope of another form.",
    outcome: RETRY,
    remedy:
      "Correct the handler: a scope is 1 to 36 letters, digits, '_', '.' or '-'; a limit key is one or two such parts with a '/' between, and needs a scope.",
  },
  RT0025: {
    title: "The handler awaits too many futures within each other",
    arises:
      "A handler suspends on a tree of awaited futures that nests deeper than 1,000 levels. No retry would change that, so the invocation is paused.",
    outcome: PAUSE,
    remedy:
      "Await the futures in one combinator, or in few levels, register the corrected handler and resume the invocation on it; or kill it.",
  },
} as const satisfies Record<string, ErrorEntry>;

/**
 * The RT codes from RT0900 on belong to Stepwell alone: a new code of the reference server, which counts up from RT0001, never
 * meets one of them.
 */
const OWN_ERRORS = {
  RT0900: {
    title: "The system refuses access to the data directory",
    arises:
      "At start: this process may not read, make or write the meta or the journal directory, its file system is read-only or fails, or a directory is in the place of a file. The message names the error of the system. The stored data is not affected.",
    outcome: REFUSE_START,
    remedy:
      "Give the user of this process the right to read and write the directory and everything below it, mend the file system, or choose another --data-dir, meta.storage-path or worker.storage.path. Do not empty the directory.",
  },
  RT0901: {
    title: "A file is in the place of the data directory",
    arises: "At start: the path of the meta or the journal directory, or a part of that path, is not a directory.",
    outcome: REFUSE_START,
    remedy: "Move the file away, or choose another --data-dir, meta.storage-path or worker.storage.path.",
  },
  RT0902: {
    title: "The disk of the data directory is full",
    arises:
      "At start: the file system has no space left for the meta or the journal directory, or the user of this process has reached the quota. The stored data is not affected.",
    outcome: REFUSE_START,
    remedy:
      "Free space on that file system, or raise the quota, and start again. To keep the data, move the whole directory to a larger disk. Do not delete files below it.",
  },
  RT0903: {
    title: "The results that wait for an invocation do not fit into its journal",
    arises:
      "Results of calls, awakeables, promises or signals wait for an invocation, and each of them is larger than what its journal may still grow by. A journal may have twice `worker.invoker.journals-size-limit`, and 128 MiB at least. The message names the sizes. Nothing is lost: the results stay stored, and the handler has got those that came before.",
    outcome: PAUSE,
    remedy:
      "Raise worker.invoker.journals-size-limit or memory-size, start again and resume the invocation; or kill it. Let the handler await fewer or smaller results: pass large values by reference, or split the work over several invocations.",
  },
  RT0910: {
    title: "The invocation did not start in time",
    arises:
      "No attempt has begun by the moment that the header `x-stepwell-start-within` or the setting `start_within` of the handler gives: the invocation waited for its key, for a place or for a worker. A delay of a send does not count.",
    outcome: end(408),
    remedy:
      "Send the request again: no handler ran. If it happens often, allow more time, or give the handler more room.",
  },
  RT0911: {
    title: "The invocation did not end in time",
    arises:
      "The invocation is open at the moment that the header `x-stepwell-end-within` or the setting `end_within` of the handler gives. It is cancelled then, and a handler that obeys ends with the code 409. If it is open after the time of `deadline-grace`, it is killed with this error. An invocation that waits for its start ends with this error at once.",
    outcome: end(504),
    remedy:
      "Look at its journal for the step that took long. Allow more time, or let the handler wait with a limit of its own.",
  },
  RT0912: {
    title: "Another invocation is the current one of this singleton key",
    arises:
      "A request has the headers `x-stepwell-singleton` and `x-stepwell-on-duplicate: refuse`, and an earlier invocation of the same target and key is open. The message names that invocation.",
    outcome: reject(409),
    remedy:
      "Send the request again after the end of the named invocation, attach to it by its id, or ask for `attach` or `replace`.",
  },
  RT0913: {
    title: "A later request with the same singleton key replaced the invocation",
    arises:
      "A request has the header `x-stepwell-singleton` with the key of this invocation, and `x-stepwell-on-duplicate: replace` or `x-stepwell-debounce`. An invocation that waits for its start ends at once. A started one is cancelled, and killed after the time of `deadline-grace`; a debounced request lets it go on.",
    outcome: end(409),
    remedy: "Do nothing: the invocation that the message names goes on with the newer input.",
  },
} as const satisfies Record<string, ErrorEntry>;

/** The META codes: registration, discovery, subscriptions, and the store of the registry. */
const META_ERRORS = {
  META0003: {
    title: "The deployment cannot be reached for discovery",
    arises:
      "Discovery gets no answer with a status below 300 within ten seconds: the address is refused or unknown, a certificate is not trusted, or the deployment answers 401, 404 or 500. On AWS, a public address without TLS is refused too.",
    outcome: reject(500),
    remedy:
      "Check the address, that the deployment runs, and that this server can reach it. If the deployment asks for authentication, pass the headers as additional_headers. On AWS, use https://, or list the address in aws.allowed-addresses. If AWS refuses the call of a Lambda function, the message names the policy that decided, if AWS names one, and the command that grants the call. If the permission is there, look at its qualifier (a version or an alias needs one of its own), at the policy of the calling role (handlerArns, the tag stepwell, or the role in assume_role_arn), at permissions boundaries and service control policies, and across accounts at both sides; a KMS key and a VPC concern the function's own role.",
  },
  META0004: {
    title: "A deployment with this address is registered already",
    arises:
      "The address (compared without the scheme and without a slash at the end) or the ARN belongs to a registered deployment, even if the manifest has changed since. A dry run gets 200 and the registered deployment.",
    outcome: reject(409),
    remedy:
      "Register the changed deployment under a new address. Or replace the registered one with force; its open invocations may then be unable to continue.",
  },
  META0005: {
    title: "The metadata of a deployment or service cannot be used",
    arises:
      "The name of a service in the manifest begins with `restate`, in upper or lower case, or is `openapi`. Or the change could not be written, because other changes of the registry came first at every try. At start: the meta store holds a deployment that cannot be read.",
    outcome: { ...reject(400), refusesStart: true },
    remedy:
      "Choose a name that does not begin with 'restate' and is not 'openapi'. If the registry was changing, send the request again. At start, the meta store is damaged: empty meta.storage-path, and register the deployments again in their original order.",
  },
  META0006: {
    title: "The new revision conflicts with the registered one",
    arises:
      "The manifest changes the type of a registered service, or lacks handlers of the latest revision of that service.",
    outcome: reject(409),
    remedy:
      "Keep the type of the service and every handler of the earlier revision. Or give the service a new name, or register with breaking.",
  },
  META0009: {
    title: "The subscription is not valid",
    arises:
      "The source of a subscription is not kafka://<cluster>/<topic> or names a cluster that is not configured; or its sink is not service://<service>/<handler> or names a handler that is not registered.",
    outcome: reject(400),
    remedy:
      "Write source and sink in these forms. Configure the cluster (POST /kafka-clusters) and register the handler before the subscription.",
  },
  META0010: {
    title: "The meta store was written by an incompatible version of the server",
    arises:
      "The local process starts on a meta directory whose database is damaged, or whose VERSION file is damaged or names an older format, a newer format or another kind of store. On AWS, a function starts on a table whose schema item names another format.",
    outcome: REFUSE_START,
    remedy:
      "Start the version of the server that wrote the store. Or migrate the store, empty it, or choose another meta.storage-path or table.",
  },
  META0011: {
    title: "The meta store holds data but no version file",
    arises:
      "The local process starts on a meta directory that is not empty and has no VERSION file. On AWS, a function starts on a table that has lost its schema item.",
    outcome: REFUSE_START,
    remedy: "The store is damaged, or older than 0.8. Empty it, or choose another meta.storage-path or table.",
  },
  META0012: {
    title: "The deployment and this server share no protocol version",
    arises:
      "The manifest's range of protocol versions ends below the lowest version of this server, or begins above its highest.",
    outcome: reject(500),
    remedy: "Use a version of the SDK and a version of the server that share a protocol version.",
  },
  META0013: {
    title: "The deployment's answer to the discovery cannot be used",
    arises:
      "The answer to the discovery does not have the content type of a manifest, cannot be decoded, lacks the protocol mode or the protocol versions, names protocol versions that do not exist, or is too large.",
    outcome: reject(500),
    remedy:
      "Check that an endpoint of an SDK serves this address, and that the SDK and the server share a protocol version.",
  },
  META0014: {
    title: "The deployment seems to speak HTTP/1.1 only",
    arises: "Discovery speaks HTTP/2 with prior knowledge, and the answer looks like HTTP/1.1.",
    outcome: reject(500),
    remedy:
      "Register the deployment with use_http_11 (--use-http1.1). In production, serve the deployment over HTTP/2.",
  },
  META0015: {
    title: "The deployment announces the bidirectional mode over a transport without that mode",
    arises: "A deployment on Lambda announces the bidirectional mode, which a call of a function does not have.",
    outcome: reject(500),
    remedy: "Configure the endpoint for the request-response mode.",
  },
  META0016: {
    title: "The discovered deployment differs too much from the one it would update",
    arises:
      "At an update in place (PUT), a service of the deployment is gone, has lost a handler or has changed its type, or the protocol versions differ. PATCH compares the protocol versions alone.",
    outcome: reject(400),
    remedy:
      "Keep every service with its type and handlers, and exactly the same protocol versions. Deployments with the same minor version of the SDK mostly have the same.",
  },
  META0017: {
    title: "Two or more deployments share this address",
    arises: "A registration with force finds two or more deployments under the address.",
    outcome: reject(409),
    remedy:
      "Delete all of them but one (DELETE /deployments/{deployment_id}); the registration then replaces that one.",
  },
  META0018: {
    title: "The request brings no token, or not the right one",
    arises:
      "The local admin API and `stepwell proxy` answer only requests with their token, or of a page of the web UI that `stepwell ui` has opened. The reference's command line sends a token in the same way.",
    outcome: reject(401),
    remedy:
      "The commands of stepwell find the token of a local server in its data directory: run them where `stepwell dev` runs, or with the same --data-dir. Elsewhere, and for `stepwell proxy`, set STEPWELL_AUTH_TOKEN. Other programs send the header `authorization: Bearer <token>`; the reference's command line does so with RESTATE_AUTH_TOKEN.",
  },
  META0901: {
    title: "The schedule is not valid",
    arises:
      "A schedule cannot be read, its cron expression, time zone, interval or another value is not allowed, its handler is not registered, or an order does not fit to it. The message says what is and what should be, with an example.",
    outcome: reject(400),
    remedy: "Correct what the message names; docs/schedules.md has every field with its bounds.",
  },
} as const satisfies Record<string, ErrorEntry>;

export const ERRORS = { ...META_ERRORS, ...RUNTIME_ERRORS, ...OWN_ERRORS } as const;

export type ErrorCode = keyof typeof ERRORS;

/** Codes that only warn: they accompany an answer and are never thrown. */
export type WarningCode = {
  [Code in ErrorCode]: (typeof ERRORS)[Code]["outcome"]["kind"] extends "warn" ? Code : never;
}[ErrorCode];

export type ThrownCode = Exclude<ErrorCode, WarningCode>;

export const ERROR_CODES = Object.keys(ERRORS) as readonly ErrorCode[];

export function isErrorCode(text: string): text is ErrorCode {
  return Object.hasOwn(ERRORS, text);
}

/** The place of a code in the documentation. */
export function documentationOf(code: ErrorCode): string {
  return `docs/errors.md#${code.toLowerCase()}`;
}
