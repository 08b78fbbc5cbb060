/** The tables of flow control: its rules, counters and queues. They exist and are empty, because Stepwell has no flow control. */
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

export const FLOW_CONTROL_TABLES: readonly TableShape[] = [
  tableShape("sys_rules", "pattern, concurrency u32, description, disabled b, version u32, last_modified t"),
  tableShape(
    "sys_user_limits",
    `partition_key u64, scope, l1, l2, level, usage u32, concurrency_limit u32, rule_pattern, available u32,
    num_waiters u64`,
  ),
  tableShape(
    "sys_vqueues",
    `partition_key u64, id, stage, status, has_lock b, run_at t, sequence_number u64, entry_id, ${ENTRY_COLUMNS}`,
  ),
  tableShape(
    "sys_vqueue_meta",
    `partition_key u64, id, is_active b, queue_is_paused b, service_name, scope, limit_key, lock_name, created_at t,
    last_enqueued_at t, last_start_at t, last_attempt_at t, last_finish_at t, avg_queue_duration d, avg_inbox_duration d,
    avg_run_duration d, avg_suspension_duration d, avg_end_to_end_duration d,
    ${durations((resource) => `avg_blocked_on_${resource}`, ["concurrency_rules", "invoker_concurrency", "invoker_throttling", "lock"])},
    num_inbox u64, num_running u64, num_suspended u64, num_paused u64, num_finished u64`,
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
