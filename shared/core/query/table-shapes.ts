/** The tables that statements may read, with the names and types that existing clients expect. */
import { tableShape, type TableShape } from "./table-shape.ts";

const ENTRY_COLUMNS = `entry_kind, created_at t, transitioned_at t, num_attempts u32, num_errors u32, num_pauses u32,
  num_suspensions u32, num_yields u32, first_attempt_at t, latest_attempt_at t, first_runnable_at t, deployment`;

/** The limits that may block the head of a queue. */
const RESOURCES = [
  "invoker_concurrency",
  "throttling_rules",
  "invoker_throttling",
  "invoker_memory",
  "concurrency_rules",
  "lock",
  "deployment_concurrency",
];

function durations(name: (resource: string) => string, resources: readonly string[] = RESOURCES): string {
  return resources.map((resource) => `${name(resource)} d`).join(", ");
}

/** Schedules, a table of Stepwell's own. */
export const SCHEDULES = tableShape(
  "sys_schedules",
  `name, id, generation u32, target, target_service_name, target_handler_name, target_service_key, scope, limit_key, timing, overlap,
    status, paused_note, error, next_at t, started u64, open_runs u32, waiting u32, backfills u32, last_outcome, created_at t,
    modified_at t`,
);

/** The open runs of schedules and the last ones that have ended, a table of Stepwell's own. */
export const SCHEDULE_RUNS = tableShape(
  "sys_schedule_runs",
  "schedule, run, kind, moment t, outcome, invocation_id, started_at t, ended_at t",
);

/** The rules of flow control. The columns from `rate` on are Stepwell's own. */
export const RULES = tableShape(
  "sys_rules",
  "pattern, concurrency u32, description, disabled b, version u32, last_modified t, rate, burst u32",
);

/** The pools of flow control that are in use. The columns from `pool` on are Stepwell's own. */
export const USER_LIMITS = tableShape(
  "sys_user_limits",
  `partition_key u64, scope, l1, l2, level, usage u32, concurrency_limit u32, rule_pattern, available u32,
  num_waiters u64, pool, oldest_waiting_since t`,
);

/** The open invocations by service, scope, limit key and lock. */
export const VQUEUE_META = tableShape(
  "sys_vqueue_meta",
  `partition_key u64, id, is_active b, queue_is_paused b, service_name, scope, limit_key, lock_name, created_at t,
  last_enqueued_at t, last_start_at t, last_attempt_at t, last_finish_at t, avg_queue_duration d, avg_inbox_duration d,
  avg_run_duration d, avg_suspension_duration d, avg_end_to_end_duration d,
  ${durations((resource) => `avg_blocked_on_${resource}`, ["concurrency_rules", "invoker_concurrency", "invoker_throttling", "lock"])},
  num_inbox u64, num_running u64, num_suspended u64, num_paused u64, num_finished u64`,
);

/** Further tables of the queues of flow control. They exist and are empty. */
export const FLOW_CONTROL_TABLES: readonly TableShape[] = [
  tableShape(
    "sys_vqueues",
    `partition_key u64, id, stage, status, has_lock b, run_at t, sequence_number u64, entry_id, ${ENTRY_COLUMNS}`,
  ),
  tableShape(
    "sys_vqueue_entry_status",
    `partition_key u64, entry_id, vqueue_id, stage, status, has_lock b, next_at t, sequence_number u64, ${ENTRY_COLUMNS},
    needed_memory u64, retry_attempts u32, retry_count_since_last_stored_command u32,
    ${durations((resource) => `latest_attempt_blocked_on_${resource}`)},
    ${durations((resource) => `total_blocked_on_${resource}`)}`,
  ),
  tableShape(
    "sys_scheduler",
    `partition_key u64, id, num_inbox u64, status, head_entry_id, scheduled_at t, blocked_on, blocked_on_json,
    ${durations((resource) => `${resource}_block_duration`)}`,
  ),
];

const STATUS_COLUMNS = `id, vqueue_id, status, completion_result, completion_failure, target, target_service_name, target_service_key,
  target_handler_name, target_service_ty, scope, limit_key, idempotency_key, created_by, invoked_by, invoked_by_id,
  invoked_by_subscription_id, invoked_by_service_name, invoked_by_target, restarted_from, last_action,
  last_action_at t, last_action_by, pinned_deployment_id,
  pinned_service_protocol_version u32, trace_id, journal_size u32, journal_commands_size u32, created_at t,
  created_using_restate_version, modified_at t, inboxed_at t, scheduled_at t, scheduled_start_at t, start_by t, end_by t,
  priority u32, singleton_key, running_at t,
  completed_at t, completion_retention d, journal_retention d, suspended_waiting_for_completions [u32],
  suspended_waiting_for_signals [u32], suspended_waiting_future_json, outcome, waits_for, pause_reason, paused_at t, paused_by`;

const ATTEMPT_COLUMNS = `retry_count u64, last_start_at t, last_attempt_deployment_id, last_attempt_server, next_retry_at t, last_failure,
  last_failure_error_code, last_failure_related_command_index u64, last_failure_related_command_name,
  last_failure_related_command_type, last_failure_related_entry_index u64, last_failure_related_entry_name,
  last_failure_related_entry_type, last_awaiting_on_future_json`;

export const INVOCATION = tableShape("sys_invocation", `${STATUS_COLUMNS}, ${ATTEMPT_COLUMNS}`);
export const INVOCATION_STATUS = tableShape("sys_invocation_status", `partition_key u64, ${STATUS_COLUMNS}`);
export const INVOCATION_STATE = tableShape(
  "sys_invocation_state",
  `partition_key u64, id, in_flight b, ${ATTEMPT_COLUMNS}`,
);

export const JOURNAL = tableShape(
  "sys_journal",
  `partition_key u64, id, index u32, entry_type, name, completed b, invoked_id, invoked_target, sleep_wakeup_at t, promise_name,
  raw bin, raw_length u64, version u32, entry_json, entry_lite_json, appended_at t`,
);
export const JOURNAL_EVENTS = tableShape(
  "sys_journal_events",
  "partition_key u64, id, after_journal_entry_index u32, appended_at t, event_type, event_json",
);

export const DEPLOYMENT = tableShape(
  "sys_deployment",
  `id, ty, endpoint, created_at t, min_service_protocol_version u32, max_service_protocol_version u32, services [s],
  health, health_since t, health_reason, last_contact_at t`,
);
export const SERVICE = tableShape("sys_service", "name, revision u64, public b, ty, deployment_id");

export const STATE = tableShape(
  "state",
  "partition_key u64, scope, service_name, service_key, key, key_length u64, value_utf8, value bin, value_length u64",
);
export const INBOX = tableShape(
  "sys_inbox",
  "partition_key u64, service_name, service_key, id, sequence_number u64, created_at t, scope",
);
export const KEYED_SERVICE_STATUS = tableShape(
  "sys_keyed_service_status",
  "partition_key u64, service_name, service_key, invocation_id, scope",
);
export const PROMISE = tableShape(
  "sys_promise",
  `partition_key u64, scope, service_name, service_key, key, completed b, completion_success_value bin,
  completion_success_value_utf8, completion_failure`,
);

/** A lock is named `<service>/<key>`. */
export const LOCKS = tableShape("sys_locks", "partition_key u64, scope, lock_name, acquired_at t, acquired_by");

export const COLUMNS = tableShape(
  "information_schema.columns",
  "table_catalog, table_schema, table_name, column_name, ordinal_position u64, is_nullable, data_type",
);
export const TABLES = tableShape("information_schema.tables", "table_catalog, table_schema, table_name, table_type");

export const TABLE_SHAPES: readonly TableShape[] = [
  INVOCATION,
  INVOCATION_STATUS,
  INVOCATION_STATE,
  JOURNAL,
  JOURNAL_EVENTS,
  DEPLOYMENT,
  SERVICE,
  STATE,
  INBOX,
  KEYED_SERVICE_STATUS,
  PROMISE,
  LOCKS,
  RULES,
  SCHEDULES,
  SCHEDULE_RUNS,
  USER_LIMITS,
  VQUEUE_META,
  ...FLOW_CONTROL_TABLES,
  COLUMNS,
  TABLES,
];
