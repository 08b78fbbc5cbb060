/** The log events about a process: its start and end, settings, APIs, spans, expired items and registry. */
import type { LogEventEntry } from "./log-event.ts";

const WITH_ERROR_ID = "The caller got the errorId; the field detail has the cause. Report it unless the store is down.";

export const PROCESS_EVENTS = {
  "process.started": { level: "info", message: "Stepwell is ready" },
  "admin-token.needed": {
    level: "info",
    message:
      "The admin API wants its token. The commands of stepwell find it, `stepwell ui` signs a browser in, and other programs send it",
  },
  "admin-token.off": {
    level: "warn",
    message: "The admin API wants no token, so every user and every program of this machine may administer Stepwell",
    remedy: "Leave out --admin-auth=off, or set admin.auth to token.",
  },
  "admin-token.refused": {
    level: "warn",
    message: "A client of the admin API sent a token or a code of a sign-in that is not the right one",
    remedy:
      "The field from has the client's address, and count the refusals since the last line: at most one line comes each minute. If no program of yours has an old token, someone guesses, or has read the address that `stepwell ui` opened.",
  },
  "admin-token.replaced": {
    level: "warn",
    message:
      "The admin API has a new token, because other users of this machine could read or had written the former one",
    remedy:
      "Give the new token to your programs; the field file names its file. Run `chmod go-rwx` on the data directory.",
  },
  "process.stop-requested": { level: "info", message: "Stepwell is stopping; a second signal ends it at once" },
  "process.stopped": { level: "info", message: "Stepwell has stopped" },
  "process.loop-failed": {
    level: "error",
    message: "A background loop of the process ended with an error",
    remedy: "Restart the process, and report the line with the field error.",
  },
  "function.start-failed": {
    level: "error",
    message: "The function could not start",
    remedy: "The fields error and remedy say what is wrong and what helps.",
  },
  "setting.not-applied": {
    level: "warn",
    message: "A setting does not take effect as written",
    remedy: "The field reason names the setting. Correct it.",
  },
  "api.exposed": {
    level: "warn",
    message:
      "The APIs listen beyond this machine, so every client that reaches these ports may call handlers, and administer Stepwell if it has the token or admin.auth is off",
    remedy: "Bind both ports to 127.0.0.1, or put a firewall or a proxy with TLS in front of them.",
  },
  "tls.unchecked": {
    level: "warn",
    message:
      "Certificates are not checked: whoever is on the way to a deployment, a collector or a broker may read and change what is sent there",
    remedy:
      "Start without the variable in the field `variable`. For an authority of your own, set NODE_EXTRA_CA_CERTS to the file with its certificate.",
  },
  "data-directory.exposed": {
    level: "warn",
    message: "Other users of this machine may read or write the data directory; take this right away with chmod go-rwx",
    remedy: "Run `chmod go-rwx` on the path in the field `directory`.",
  },
  "store.torn-end": {
    level: "warn",
    message:
      "The last write of a store is not whole, as after a power failure in the middle of it; these bytes are dropped",
    remedy:
      "Nothing that was acknowledged is lost after a power failure. If there was none, the disk may be failing: restore a backup of the data directory.",
  },
  "signing-key.loaded": { level: "info", message: "Requests to deployments are signed" },
  "signing-key.exposed": {
    level: "warn",
    message: "Every user of this machine may read the key that signs requests; take this right away with chmod o-r",
    remedy: "Run `chmod o-r` on the path in the field `file`.",
  },
  "tracing.started": { level: "info", message: "Spans are sent to a collector" },
  "span.export-failed": {
    level: "warn",
    message: "The collector did not accept spans, so Stepwell drops them",
    remedy: "The field reason has the cause. Check the address in tracing-endpoint; invocations are not affected.",
  },
  "span.export-recovered": { level: "info", message: "The collector accepts spans again" },
  "item.expiry-failed": {
    level: "warn",
    message: "Expired items could not be removed from the store",
    remedy: "The field error has the cause. The next round tries again.",
  },
  "request.answered": { level: "info", message: "The ingress answered a request" },
  "ingress-request.failed": {
    level: "error",
    message: "A request to the ingress failed",
    remedy: WITH_ERROR_ID,
  },
  "admin-request.failed": {
    level: "error",
    message: "A request to the admin API failed",
    remedy: WITH_ERROR_ID,
  },
  "admin-call.answered": { level: "audit", message: "The admin API answered a call that may change something" },
  "admin-statement.answered": { level: "audit", message: "The admin API answered an SQL statement" },
  "admin-statement.cut": {
    level: "warn",
    message: "An SQL statement failed after its first rows were sent, so its answer was broken off",
    remedy:
      "The fields kind and detail have the cause: `refused` names the limit that the statement reached, `busy` comes from a stop of the process or a client that does not read, `failed` from the store or a defect. The client sees an answer without its end.",
  },
  "deployment.registered": { level: "info", message: "A deployment was registered" },
  "deployment.unchanged": { level: "info", message: "The deployment is registered already and has not changed" },
  "deployment.replaced": {
    level: "info",
    message: "The deployment has changed and was registered again under its id",
  },
  "deployment.updated": { level: "info", message: "A deployment was updated in place" },
  "deployment.removed": { level: "info", message: "A deployment was removed" },
  "deployment.found": {
    level: "info",
    message:
      "A deployment was found at a usual port of this machine; Stepwell registers it unless another deployment serves a service of it",
  },
  "deployment.left-alone": {
    level: "warn",
    message:
      "A deployment at a usual port of this machine has a service that another deployment serves, so Stepwell does not register it by itself. If it is to take the service over",
    remedy:
      "If the new deployment is yours, run the command of the line; the field services names who serves the services now.",
  },
  "deployment.refused": {
    level: "warn",
    message: "A deployment at a usual port of this machine has a manifest that Stepwell refuses",
    remedy:
      "The field error has the cause and its code; `stepwell explain <code>` says what helps. Stepwell keeps looking.",
  },
  "deployment.sought": {
    level: "info",
    message:
      "No deployment answers at the usual ports of this machine; Stepwell keeps looking, and registers new services that it finds",
  },
  "handler.callable": { level: "info", message: "A handler can be called" },
  "handler.dropped": {
    level: "warn",
    message: "The deployment no longer has a handler of open invocations, so their attempts will fail",
    remedy:
      "Put the handler back, or end the invocations with `stepwell invocations cancel` or `kill`. The field invocationIds has the first of them.",
  },
  "registration.held-back": {
    level: "info",
    message: "The deployment was removed, so it is registered again only when its handlers change",
  },
  "registration.ended": {
    level: "info",
    message: "The deployment was removed or moved, so this process leaves it alone until an operator registers it",
  },
  "registration.delayed": { level: "info", message: "The registration waits until the deployment answers" },
  "registration.failed": {
    level: "error",
    message: "The deployment could not be registered",
    remedy: "The field error has the cause and its code; `stepwell explain <code>` says what helps.",
  },
  "warning.omitted": {
    level: "warn",
    message: "More warnings of one event came within a second than the log shows",
    remedy: "The field `of` names the event, and the lines before this one show its first warnings of that second.",
  },
  "service.changed": { level: "info", message: "Settings of a service were changed" },
  "subscription.created": { level: "info", message: "A subscription was created" },
  "subscription.removed": { level: "info", message: "A subscription was removed" },
  "subscription.paused": {
    level: "warn",
    message: "A subscription has stopped before a record that cannot become an invocation",
    remedy:
      "The fields name the record and the reason. Pass over it with `stepwell subscriptions reset <id> --offset <partition>=<offset + 1>`, then `resume`; or let the subscription skip such records.",
  },
  "subscription.failed": {
    level: "warn",
    message: "A subscription cannot read or accept records now, and tries again",
    remedy: "The field error has the cause. Check the cluster's properties and the handler of the sink.",
  },
  "subscription.properties-ignored": {
    level: "warn",
    message: "Properties of a cluster or a subscription have no effect",
    remedy: "Remove the properties of the field properties; docs/operating/local.md lists the ones that count.",
  },
  "subscriptions.follow-failed": {
    level: "warn",
    message: "The subscriptions could not be read from the store",
    remedy: "The field error has the cause. The next try comes within seconds.",
  },
  "records.dropped": {
    level: "info",
    message: "Records of a removed subscription arrived and invoke no handler",
  },
  "record.skipped": {
    level: "warn",
    message: "A record that cannot become an invocation was skipped, as the subscription's policy says",
    remedy: "The fields name the record and the reason. Correct the producer.",
  },
} as const satisfies Readonly<Record<string, LogEventEntry>>;
