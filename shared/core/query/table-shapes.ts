/** The tables that statements may read, with the names and types that existing clients expect. */
import { FLOW_CONTROL_TABLES } from "./flow-control-shapes.ts";
import { tableShape, type TableShape } from "./table-shape.ts";

const STATUS_COLUMNS = `id, vqueue_id, status, completion_result, completion_failure, target, target_service_name, target_service_key,
  target_handler_name, target_service_ty, scope, limit_key, idempotency_key, created_by, invoked_by, invoked_by_id,
  invoked_by_subscription_id, invoked_by_service_name, invoked_by_target, restarted_from, last_action,
  last_action_at t, last_action_by, pinned_deployment_id,
  pinned_service_protocol_version u32, trace_id, journal_size u32, journal_commands_size u32, created_at t,
  created_using_restate_version, modified_at t, inboxed_at t, scheduled_at t, scheduled_start_at t, running_at t,
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
  "partition_key u64, service_name, service_key, id, sequence_number u64, created_at t",
);
export const KEYED_SERVICE_STATUS = tableShape(
  "sys_keyed_service_status",
  "partition_key u64, service_name, service_key, invocation_id",
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
  ...FLOW_CONTROL_TABLES,
  COLUMNS,
  TABLES,
];
