/** The sentences of docs/sql.md about the columns of tables, by table; `SHARED_SENTENCES` are about columns that several tables have. */
import { VQUEUE_META } from "../../shared/core/query/table-shapes.ts";

type Sentences = Readonly<Record<string, string>>;

const INVOCATIONS: Sentences = {
  id: "The id of the invocation.",
  status:
    "In `sys_invocation`: `scheduled`, `pending`, `ready`, `running`, `backing-off`, `suspended`, `paused` or `completed`; in `sys_invocation_status` `pending` is `inboxed`, and `ready`, `running` and `backing-off` are `invoked`.",
  completion_result: "`success` or `failure`, after the end.",
  completion_failure: "`[<code>] <message>` of an invocation that ended with a failure.",
  target: "`Service/handler` or `Object/key/handler`.",
  target_service_name: "The service.",
  target_service_key: "The key of the object, or the id of the workflow.",
  scope: "The scope that was named with the call; NULL without one.",
  limit_key: "The limit key that was named with the call.",
  target_handler_name: "The handler.",
  target_service_ty: "`service`, `virtual_object` or `workflow`.",
  idempotency_key: "The idempotency key that the caller gave.",
  created_by: "The external caller, if the ingress authenticated one.",
  invoked_by: "`ingress`, `service`, `subscription` or `restart_as_new`.",
  invoked_by_id: "The invocation that called this one.",
  invoked_by_subscription_id: "The subscription whose record caused the invocation.",
  invoked_by_service_name: "The service of that invocation.",
  invoked_by_target: "The target of that invocation.",
  restarted_from: "The invocation that an operator restarted as this one.",
  last_action: "The last order of an operator: `cancel`, `kill`, `pause`, `resume` or `restart`.",
  last_action_at: "The moment of that order.",
  last_action_by: "The operator, if one was authenticated.",
  pinned_deployment_id: "The deployment that runs the invocation, fixed with its first stored entry.",
  pinned_service_protocol_version: "The version of the protocol, fixed with it.",
  trace_id: "The trace of the invocation.",
  journal_size: "The number of stored entries.",
  journal_commands_size: "The number of stored commands.",
  created_at: "The moment of the acceptance.",
  modified_at: "The moment of the last write to the journal.",
  inboxed_at:
    "The moment since which the invocation waits or waited for its key. NULL if it found the key free, or 30 days later.",
  scheduled_at: "The moment of the acceptance, for an invocation with a later start.",
  scheduled_start_at: "The start that the caller asked for.",
  start_by: "The deadline of its first attempt (RT0910), if it has one.",
  end_by: "The deadline of its end, at which it is cancelled (RT0911), if it has one.",
  priority: "Its priority, 0 to 9; 5 if the request named none.",
  singleton_key: "Its singleton key, if the request had one.",
  running_at: "The start of the first attempt. NULL if that attempt stored no entry and another one followed.",
  completed_at: "The moment of the end.",
  completion_retention: "How long the result is kept after the end.",
  journal_retention: "How long the journal is kept after the end.",
  suspended_waiting_for_completions: "The completions for which a suspended invocation waits.",
  suspended_waiting_for_signals: "The indexes of the signals for which it waits.",
  suspended_waiting_future_json: "The whole await as a tree.",
  outcome: "`succeeded`, `failed`, `cancelled` or `killed`, after the end.",
  waits_for:
    "What an open invocation waits for: a list of objects as in `waits_for` of `GET /invocations/{id}`, without what other invocations wait for.",
  pause_reason: "`order`, `failure` or `process-ends`, while paused.",
  paused_at: "The moment of the pause.",
  paused_by: "The operator who paused it, if one was authenticated.",
  retry_count:
    "The failed attempts since the last start, suspension or pause, and the running attempt. Replays after an await do not count.",
  last_start_at:
    "The start of the last attempt. NULL if that attempt runs in another process, or was cut short without an entry.",
  last_attempt_deployment_id: "The deployment of the last attempt. NULL if no stored item names it.",
  last_attempt_server: "The SDK that this deployment announced at its registration.",
  next_retry_at: "The start of the next attempt, while `backing-off`.",
  last_failure: "The last failure, with its stack trace.",
  last_failure_error_code: "Its code, such as `RT0007`.",
  last_failure_related_command_index: "The index among the commands of the command that failed.",
  last_failure_related_command_name: "The name of that command.",
  last_failure_related_command_type: "The type of that command.",
  last_failure_related_entry_index: "The index of that command among all entries.",
  last_failure_related_entry_name: "As `last_failure_related_command_name`.",
  last_failure_related_entry_type: "As `last_failure_related_command_type`.",
  in_flight: "True while an attempt runs.",
};

export const SHARED_SENTENCES: Sentences = {
  partition_key: "The first eight bytes of the invocation's id.",
  service_name: "The object or the workflow.",
  service_key: "The key, or the id of the workflow.",
  scope: "The scope of the key; NULL without one.",
};

export const SENTENCES: Readonly<Record<string, Sentences>> = {
  sys_invocation: INVOCATIONS,
  sys_invocation_status: INVOCATIONS,
  sys_invocation_state: INVOCATIONS,
  sys_journal: {
    id: "The invocation.",
    index: "The index of the entry, from 0.",
    entry_type: "`Command: <type>` or `Notification: <type>`.",
    name: "The name that the handler gave the command.",
    completed: "True if the command has its completion.",
    invoked_id: "The invocation that the command called or sent.",
    invoked_target: "The target of that invocation.",
    sleep_wakeup_at: "The end of a sleep.",
    promise_name: "The promise of the command.",
    raw: "The message of the protocol.",
    raw_length: "The size of `raw` in bytes.",
    version: "2, the version of this form of entries.",
    entry_json: "The entry with its payloads; refused above 2 MiB.",
    entry_lite_json: "The entry without payloads: ids, targets, keys, and whether a result is a success.",
    appended_at: "The moment at which the server received the command, or learned of the result.",
  },
  sys_journal_events: {
    id: "The invocation.",
    after_journal_entry_index: "The last entry that is stored now.",
    appended_at: "The moment of the event.",
    event_type: "`TransientError` or `Paused`.",
    event_json: "The failure.",
  },
  sys_deployment: {
    id: "The id of the deployment.",
    ty: "`http` or `lambda`.",
    endpoint: "Its URL, or the ARN of its function.",
    created_at: "The moment of its registration.",
    min_service_protocol_version: "The lowest version of the protocol that it speaks.",
    max_service_protocol_version: "The highest one.",
    services: "The names of its services.",
    health:
      "`reachable`, `failing`, `unreachable` or `unknown`. All processes know the second and the third from open circuits; `reachable` means that the deployment has answered the process that runs the statement, and `unknown` that it has not.",
    health_since: "The moment since which it is `failing` or `unreachable`.",
    health_reason: "The failure that opened the circuit, with its code.",
    last_contact_at:
      "The last answer of the deployment to the process that runs the statement. NULL if it has had none.",
  },
  sys_service: {
    name: "The name of the service.",
    revision: "The number of its current revision.",
    public: "True if the ingress accepts calls to it.",
    ty: "`service`, `virtual_object` or `workflow`.",
    deployment_id: "The deployment of that revision.",
  },
  state: {
    key: "The key of the value.",
    key_length: "Its size in bytes.",
    value_utf8: "The value, if it is text.",
    value: "The value.",
    value_length: "Its size in bytes.",
  },
  sys_inbox: {
    id: "An invocation that waits for the key.",
    sequence_number: "Its ticket; smaller tickets are served first.",
  },
  sys_keyed_service_status: { invocation_id: "The invocation that holds the key." },
  sys_promise: {
    key: "The name of the promise.",
    completed: "Always true: a promise is stored by its completion.",
    completion_success_value: "The value, if it was resolved.",
    completion_success_value_utf8: "The value, if it is text.",
    completion_failure: "`[<code>] <message>`, if it was rejected.",
  },
  sys_locks: {
    lock_name: "`<service>/<key>`.",
    acquired_at: "The moment since which the holder has the key.",
    acquired_by: "The invocation that holds the key.",
  },
  sys_rules: {
    pattern: "The pattern, which names the rule.",
    concurrency: "How many invocations of a pool run at a time.",
    description: "The text that an operator gave it.",
    disabled: "True if the rule limits nothing.",
    version: "Changes with the limits and with `disabled`.",
    last_modified: "The moment of the change that gave it this version.",
    rate: "How many invocations of a pool begin in a time, such as `100/1m`.",
    burst: "How many of them may begin at once.",
  },
  sys_user_limits: {
    l1: "The first part of the limit key.",
    l2: "The second part of the limit key.",
    level: "`Scope`, `Level1`, `Level2`, `Service`, `Handler` or `Global`.",
    usage: "The places that are taken.",
    concurrency_limit: "The places of the pool.",
    rule_pattern: "The pattern of the rule that counts for the pool.",
    available: "The places that are free.",
    num_waiters: "The invocations that wait for a place or a start, up to 1,000 each.",
    pool: "The name of the pool: `acme/gold`, `service:Mail`, `handler:Mail/send` or `global:all`.",
    oldest_waiting_since: "Since when the oldest of them waits.",
  },
  sys_vqueue_meta: {
    id: "The same for the same queue.",
    is_active: "Always true: a queue is a row while it has an open invocation.",
    queue_is_paused: "Always false: invocations are paused, and not queues.",
    service_name: "The service.",
    limit_key: "The limit key.",
    lock_name: "`<service>/<key>`, if the handlers hold the key.",
    created_at: "The moment of acceptance of the oldest open invocation.",
    last_enqueued_at: "The moment of acceptance of the newest open invocation.",
    num_inbox: "Those that are scheduled, pending, ready or backing off.",
    num_running: "Those that run.",
    num_suspended: "Those that are suspended.",
    num_paused: "Those that are paused.",
    num_finished: "Always 0: ended invocations are not counted by queue.",
  },
  sys_schedules: {
    name: "The name.",
    id: "The id, which differs from that of a deleted schedule with the same name.",
    generation: "Grows with each change of what runs or when.",
    target: "`<service>/<handler>`, or `<service>/<key>/<handler>`.",
    target_service_name: "The service.",
    target_handler_name: "The handler.",
    target_service_key: "The key, if there is one.",
    scope: "The scope, if there is one.",
    limit_key: "The limit key, if there is one.",
    timing: "The cron expression with its time zone, or the interval.",
    overlap: "What a tick does while an earlier run is open.",
    status: "`active`, `paused`, `failing` (its handler takes no runs) or `ended`.",
    paused_note: "The note of the pause.",
    error: "Why its tick cannot start.",
    next_at: "The next moment, without jitter.",
    started: "The ticks of this generation that have started.",
    open_runs: "The number of open runs.",
    waiting: "The number of ticks that wait for an earlier run.",
    backfills: "The number of backfills under way.",
    last_outcome: "The outcome of the last run.",
    created_at: "The moment of its creation.",
    modified_at: "The moment of its last change.",
  },
  sys_schedule_runs: {
    schedule: "The name of the schedule.",
    run: "The name of the run within the schedule.",
    kind: "`tick`, `trigger` or `backfill`.",
    moment: "The moment that the run is for.",
    outcome:
      "`open`, `succeeded`, `failed`, `cancelled`, `killed`, `skipped`, `missed`, `exists` or `untracked` ([schedules.md](schedules.md)).",
    invocation_id: "Its invocation, if it has one.",
    started_at: "The moment of its acceptance.",
    ended_at: "The moment of its end, or at which it was left out.",
  },
  "information_schema.columns": {
    table_catalog: "`restate`.",
    table_schema: "`public` or `information_schema`.",
    table_name: "The table.",
    column_name: "The column.",
    ordinal_position: "Its place, from 1.",
    is_nullable: "`YES`.",
    data_type: "Its type in Arrow.",
  },
  "information_schema.tables": {
    table_catalog: "`restate`.",
    table_schema: "`public` or `information_schema`.",
    table_name: "The table.",
    table_type: "`BASE TABLE` or `VIEW`.",
  },
};

const NO_FLOW_CONTROL = "flow control is not here";
const OF_INVOCATIONS: Sentences = {
  vqueue_id: NO_FLOW_CONTROL,
  created_using_restate_version: "no version is stored with an invocation",
};
const OF_ATTEMPTS: Sentences = {
  last_awaiting_on_future_json: "what a running attempt awaits is not kept; `waits_for` shows what is known",
};

const OF_KEYS: Sentences = { partition_key: "keys are not spread by the id of an invocation" };

const NOT_BY_QUEUE = "not counted by queue; `sys_invocation` has the moments of each invocation";
const NOT_OF_QUEUES: Sentences = Object.fromEntries(
  VQUEUE_META.columns
    .filter(({ name }) => name.startsWith("avg_") || /^last_(start|attempt|finish)_at$/.test(name))
    .map(({ name }) => [name, NOT_BY_QUEUE]),
);

/** Columns without a value in any row, with the reason, by table. */
export const ALWAYS_NULL: Readonly<Record<string, Sentences>> = {
  sys_invocation: { ...OF_INVOCATIONS, ...OF_ATTEMPTS },
  sys_invocation_status: OF_INVOCATIONS,
  sys_invocation_state: OF_ATTEMPTS,
  state: OF_KEYS,
  sys_promise: OF_KEYS,
  sys_inbox: { created_at: "as on the reference server; join `sys_invocation`" },
  sys_user_limits: { partition_key: "a pool has several partitions" },
  sys_vqueue_meta: { ...NOT_OF_QUEUES, partition_key: "a queue has no partition" },
};
