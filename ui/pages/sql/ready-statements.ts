/** Statements to start from, each the answer to a question that operators ask. */

export interface ReadyStatement {
  readonly question: string;
  readonly statement: string;
}

export const READY_STATEMENTS: readonly ReadyStatement[] = [
  {
    question: "What waits, and for what?",
    statement:
      "select id, target, status, created_at, waits_for\nfrom sys_invocation\nwhere status in ('pending', 'backing-off', 'suspended', 'paused')\norder by created_at\nlimit 100",
  },
  {
    question: "What fails, and how often?",
    statement:
      "select target_service_name, target_handler_name, last_failure_error_code, count(*) as invocations\nfrom sys_invocation\nwhere status = 'backing-off'\ngroup by target_service_name, target_handler_name, last_failure_error_code\norder by invocations desc",
  },
  {
    question: "How did the last hour end?",
    statement:
      "select target_service_name, outcome, count(*) as invocations\nfrom sys_invocation\nwhere status = 'completed' and created_at > now() - interval '1 hour'\ngroup by target_service_name, outcome\norder by target_service_name, outcome",
  },
  {
    question: "Which open invocations are the oldest?",
    statement:
      "select id, target, status, created_at\nfrom sys_invocation\nwhere status != 'completed'\norder by created_at\nlimit 50",
  },
  {
    question: "Which deployment runs how much?",
    statement:
      "select pinned_deployment_id, status, count(*) as invocations\nfrom sys_invocation\nwhere status != 'completed'\ngroup by pinned_deployment_id, status\norder by invocations desc",
  },
  {
    question: "Which keys have the longest queues?",
    statement:
      "select service_name, service_key, count(*) as waiting\nfrom sys_inbox\ngroup by service_name, service_key\norder by waiting desc\nlimit 50",
  },
  {
    question: "Which columns are there?",
    statement: "select table_name, column_name, data_type\nfrom information_schema.columns",
  },
];
