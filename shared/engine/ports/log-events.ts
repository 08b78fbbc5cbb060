/** The table of all events of the log: name, level, sentence and remedy. */

/** Level `audit` records the act of an operator; it is written at every configured log level. */
export type LogEventLevel = "audit" | "info" | "warn" | "error";

export interface LogEventEntry {
  readonly level: LogEventLevel;
  /** The event as a sentence without its full stop. The sentence may change; the name of the event does not. */
  readonly message: string;
  /** The remedy for an operator, in whole sentences; absent if the event needs no action. */
  readonly remedy?: string;
}

const STORE_REMEDY = "The field error has the cause. Check that the store can be reached and has capacity left.";
const QUEUE_REMEDY = "The field error has the cause. Check that the queue exists and that the process may use it.";
const WITH_ERROR_ID = "The caller got the errorId; the field detail has the cause. Report it unless the store is down.";

/** A name is a noun, a dot and what happened. Names stay stable: alarms, scripts and the documentation refer to them. */
export const LOG_EVENTS = {
  // About invocations and what drives them: attempts, circuits, leases, wakes, messages and timers.
  "attempt.failed": {
    level: "warn",
    message: "An attempt failed",
    remedy:
      "The fields errorCode and reason have the cause, and `stepwell explain <code>` says what helps. The field next says whether a retry follows, a pause or the end.",
  },
  "journal.mismatched": {
    level: "warn",
    message: "The code of a deployment took another path than the journal (RT0016)",
    remedy:
      "The field recordedBy names the deployment that recorded the entry, and waysOut the commands that repair the invocation. `stepwell invocations describe` shows both sides.",
  },
  "attempt.send-failed": {
    level: "error",
    message: "The request of an attempt could not be sent",
    remedy:
      "The field error has the cause. The attempt is made again by the retry policy; `stepwell invocations describe` shows the failure.",
  },
  "attempt.stalled": {
    level: "warn",
    message: "The deployment accepted an attempt and has sent nothing since",
    remedy:
      "Check that the handler of the field target is not stuck. The attempt is ended after worker.invoker.abort-timeout.",
  },
  "attempt.found-long": {
    level: "info",
    message: "An attempt has been open for so long that its handler counts as slow",
  },
  "attempt.handed-on": { level: "info", message: "A worker of the main lane handed a long attempt to the slow lane" },
  "handler.found-slow": {
    level: "info",
    message: "An attempt was cut because its process had no more time, so its handler counts as slow",
  },
  "handler.note-failed": {
    level: "warn",
    message: "The note that a handler is slow could not be written",
    remedy: STORE_REMEDY,
  },
  "circuit.opened": {
    level: "warn",
    message: "A circuit opened, so attempts of the service wait until one of them succeeds",
    remedy:
      "The field reason has the failure that the attempts share. Mend the deployment; the circuit closes by itself.",
  },
  "circuit.closed": { level: "info", message: "A circuit closed because an attempt succeeded" },
  "circuit.change-failed": {
    level: "warn",
    message: "The change of a circuit could not be written",
    remedy: STORE_REMEDY,
  },
  "lease.renewal-failed": {
    level: "warn",
    message: "A lease could not be renewed",
    remedy: `${STORE_REMEDY} The process tries again; if the lease ends, another process drives the invocation.`,
  },
  "lease.watch-failed": {
    level: "error",
    message: "The lease and the attempt of an invocation could not be checked",
    remedy: "The next round checks them again. If the line repeats, report it with the field error.",
  },
  "segment.refused": { level: "info", message: "The store refused a segment because another driver wrote it first" },
  "child.drive-failed": {
    level: "error",
    message: "The driver of a caller could not drive the called invocation",
    remedy: "The field error has the cause. A message of the queue drives the called invocation later.",
  },
  "invocation.held-back": { level: "info", message: "A large invocation waits until the process has memory for it" },
  "invocation.continued": {
    level: "info",
    message: "Invocations that were open when the previous process ended continue",
  },
  "invocation.suspected": {
    level: "warn",
    message: "Invocations that may have ended the previous process are driven one at a time",
    remedy: "Run `stepwell invocations ls --status paused`: it shows those that ended several processes in a row.",
  },
  "invocation.paused": {
    level: "error",
    message: "An invocation was paused because it cannot be driven",
    remedy: "The field reason has the cause. Mend it, then resume the invocation with `stepwell invocations resume`.",
  },
  "invocation.ended": { level: "info", message: "An invocation ended" },
  "invocation.omitted": {
    level: "info",
    message: "More invocations ended within a second than the log shows one by one",
  },
  "invocation.purged": { level: "info", message: "An invocation was purged" },
  "edit.dropped": {
    level: "warn",
    message: "An edit of a state was dropped because the state had changed since the operator read it",
    remedy: "Read the state again, and edit it again.",
  },
  "wake.received": { level: "info", message: "A worker received a wake" },
  "wake.failed": {
    level: "error",
    message: "A worker could not process a wake",
    remedy: "The field error has the cause. The message comes again; on AWS the 13th receipt makes it a dead letter.",
  },
  "wake.handover-failed": {
    level: "warn",
    message: "A wake could not be moved to the slow lane",
    remedy: `${QUEUE_REMEDY} The message comes again.`,
  },
  "service.lookup-failed": {
    level: "warn",
    message: "The slow services could not be read, so their wakes stay in the main lane",
    remedy: STORE_REMEDY,
  },
  "message.extension-failed": {
    level: "warn",
    message: "The visibility of a message could not be changed, so the message may come again early",
    remedy: QUEUE_REMEDY,
  },
  "message.discarded": {
    level: "error",
    message: "A message of the queue is not a wake, so it is deleted",
    remedy: "The field reason says what the message lacks. Find the sender: Stepwell alone sends to its queues.",
  },
  "message.deletion-failed": {
    level: "warn",
    message: "A message that is not a wake could not be deleted from the queue",
    remedy: QUEUE_REMEDY,
  },
  "queue.read-failed": { level: "error", message: "The queue could not be read", remedy: QUEUE_REMEDY },
  "timer.set-failed": {
    level: "warn",
    message: "A timer could not be set, so messages of the queue replace it",
    remedy: "The field error has the cause. Check the role and the quotas of EventBridge Scheduler.",
  },
  "timer.cancellation-failed": {
    level: "warn",
    message: "A timer could not be cancelled, so its wake comes for nothing",
    remedy: "The field error has the cause. Check the role and the quotas of EventBridge Scheduler.",
  },
  // Of the sweeper: its passes, looks, walks, slices and dead letters.
  "sweeper.work-found": {
    level: "info",
    message: "The sweeper woke invocations whose wake was lost, extended open ones, or gave slices to workers",
  },
  "sweeper.pass-unfinished": {
    level: "warn",
    message: "A pass of the sweeper left work to the next pass",
    remedy:
      "The next passes continue by themselves. If the line repeats for an hour, see ListingBehind in docs/operating/incidents.md.",
  },
  "sweeper.pass-failed": {
    level: "error",
    message: "A pass of the sweeper failed",
    remedy:
      "The field error has the cause. The next pass makes up for it; if passes keep failing, lost wakes stay lost.",
  },
  "sweeper.pass-lost": {
    level: "warn",
    message: "The previous pass of the sweeper did not end, so this pass records each look before it begins",
    remedy: "Look in the log of the previous pass for a time-out or a lack of memory.",
  },
  "sweeper.died": {
    level: "error",
    message: "A sweeper died while it looked at an invocation, so sweepers leave that invocation to workers for a day",
    remedy: "Describe the invocation of the field invocationId. If its journal is large, raise sweeperMemoryMb.",
  },
  "sweeper.look-failed": {
    level: "error",
    message: "The sweeper could not look at an invocation",
    remedy: "The field error has the cause. Later passes try the look again.",
  },
  "sweeper.look-abandoned": {
    level: "error",
    message: "The sweeper gave up an invocation after several failed looks",
    remedy:
      "Earlier lines sweeper.look-failed have the cause. Mend it; the sweeper tries again once a day, or at once if it is ordered to walk everything (docs/operating/incidents.md).",
  },
  "sweeper.look-skipped": {
    level: "info",
    message: "An invocation is too large for the sweeper to load, so a worker looks at it",
  },
  "sweeper.entry-abandoned": {
    level: "error",
    message: "The sweeper gave up an entry of an index after several failed looks",
    remedy:
      "Earlier lines sweeper.look-failed have the cause. Mend it, then order the sweeper to walk everything (docs/operating/incidents.md).",
  },
  "sweeper.walk-delayed": {
    level: "info",
    message: "Walks of the sweeper are behind",
  },
  "sweeper.slice-done": { level: "info", message: "A worker finished a slice of a walk" },
  "sweeper.slice-failed": {
    level: "error",
    message: "A worker could not finish a slice of a walk",
    remedy: "The field error has the cause. The next pass of the sweeper sends the slice again.",
  },
  "effect.redone": {
    level: "info",
    message: "The sweeper performed the effects that the end of an invocation had left undone",
  },
  "dead-letter.answered": {
    level: "warn",
    message: "The sweeper answered dead letters: it drove or paused their invocations",
    remedy: "Earlier lines wake.failed have the cause. Remove the cause, then resume the paused invocations.",
  },
  "dead-letter.left": {
    level: "error",
    message: "The sweeper could neither drive nor pause the invocation of a dead letter, so the letter stays",
    remedy: "The field error has the cause. Mend it; the next pass tries the letter again.",
  },
  // About a process: its start and end, settings, APIs, spans, expired items and registry.
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
  "rule.changed": { level: "audit", message: "A rule of flow control was made or changed" },
  "rule.deleted": { level: "audit", message: "A rule of flow control was deleted" },
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
  // About schedules.
  "schedule.created": { level: "info", message: "A schedule was created" },
  "schedule.changed": { level: "info", message: "A schedule was changed" },
  "schedule.removed": { level: "info", message: "A schedule was removed" },
  "schedule.paused": { level: "info", message: "A schedule was paused" },
  "schedule.resumed": { level: "info", message: "A schedule goes on" },
  "schedule.triggered": { level: "info", message: "A run of a schedule was triggered" },
  "schedule.backfill-ordered": { level: "info", message: "A backfill of a schedule was ordered" },
  "schedule.tick-skipped": {
    level: "info",
    message: "A tick was left out, because an earlier run of its schedule was open",
  },
  "schedule.ticks-missed": {
    level: "warn",
    message: "Ticks were later than the catch-up window of their schedule and were left out",
    remedy:
      "Look for what stopped the server at that time. To run the missed moments, order a backfill: `stepwell schedules backfill <name> --from <moment> --to <moment>`.",
  },
  "schedule.tick-refused": {
    level: "warn",
    message: "A tick cannot start now, and is tried again until its catch-up window is over",
    remedy: "The field reason has the cause. Register the handler, or change the target of the schedule.",
  },
  "schedule.advance-failed": {
    level: "warn",
    message: "A schedule could not be advanced, and is tried again",
    remedy: STORE_REMEDY,
  },
  "schedules.read-failed": {
    level: "warn",
    message: "The schedules could not be read, and are read again",
    remedy: STORE_REMEDY,
  },
} as const satisfies Readonly<Record<string, LogEventEntry>>;

export type LogEvent = keyof typeof LOG_EVENTS;

export const LOG_EVENT_NAMES = Object.keys(LOG_EVENTS) as readonly LogEvent[];
