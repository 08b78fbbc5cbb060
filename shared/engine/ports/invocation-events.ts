/** The log events about invocations and what drives them: attempts, circuits, leases, wakes, messages and timers. */
import type { LogEventEntry } from "./log-event.ts";

const STORE_REMEDY = "The field error has the cause. Check that the store can be reached and has capacity left.";
const QUEUE_REMEDY = "The field error has the cause. Check that the queue exists and that the process may use it.";

export const INVOCATION_EVENTS = {
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
} as const satisfies Readonly<Record<string, LogEventEntry>>;
