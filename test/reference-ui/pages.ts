/** The pages of the UI that both servers have to show in the same way. */
import type { Step } from "./browser.mjs";
import type { Ids } from "./history.ts";

export interface UiPage {
  readonly title: string;
  /** The address below `/ui/`. */
  readonly path: (ids: Ids) => string;
  readonly steps?: readonly Step[];
  /** The reference lists services in an order that changes from run to run. */
  readonly isUnordered?: true;
}

/** Named as in `makeHistory`. */
const INVOCATIONS =
  `done greeted call refused nap stumble paused killed cancelled scheduled hold waits open awaits runs`.split(" ");
const COMPLETED = ["succeeded", "failed", "cancelled", "killed"];

/** Into how many parts the pages are divided; each commit runs one. */
export const PARTS = 2;

export const PAGES: readonly UiPage[] = [
  { title: "overview: services", path: () => "overview", isUnordered: true },
  { title: "overview: deployments", path: () => "overview?view=deployments", isUnordered: true },
  { title: "overview: a service", path: () => "overview?service=Greeter&panel=service", isUnordered: true },
  { title: "overview: a handler", path: () => "overview?service=Counter&panel=service&handler=add", isUnordered: true },
  {
    title: "overview: a deployment",
    path: (ids) => `overview?deployment=${ids["deployment"]}&panel=deployment`,
    isUnordered: true,
  },
  list("All", {}),
  list("Running", { statuses: ["running"], order: "NONE" }),
  list("In-flight", { operation: "NOT_IN", statuses: [...COMPLETED, "scheduled"] }),
  list("Held up", { statuses: ["pending", "backing-off", "paused", "ready"], order: "ASC" }),
  list("Not completed", { operation: "NOT_IN", statuses: COMPLETED }),
  list("Completed", { statuses: COMPLETED }),
  list("Scheduled", { statuses: ["scheduled"], more: "&column=scheduled_start_at" }),
  list("Suspended", { statuses: ["suspended"] }),
  list("Paused", { statuses: ["paused"] }),
  list("Failed", { statuses: ["failed"] }),
  list("by change", { statuses: ["backing-off", "paused"], field: "modified_at" }),
  list("one service", { more: `&filter_target_service_name=${filter("IN", ["Counter"])}` }),
  ...INVOCATIONS.map((name) => ({ title: `invocation: ${name}`, path: (ids: Ids) => `invocations/${ids[name]}` })),
  { title: "virtual objects", path: () => "virtual-objects" },
  { title: "object: recent invocations", path: () => "virtual-objects/Counter/a" },
  { title: "object: inbox", path: () => "virtual-objects/Counter/b?tab=exclusive" },
  { title: "object: state", path: () => "virtual-objects/Counter/a?tab=state" },
  { title: "workflows", path: () => "workflows" },
  { title: "workflow: completed", path: () => "workflows/Signup/ann" },
  { title: "workflow: open", path: () => "workflows/Signup/bob" },
  { title: "workflow: state", path: () => "workflows/Signup/bob?tab=state" },
  { title: "state of objects", path: () => "state/Counter" },
  { title: "state of workflows", path: () => "state/Signup" },
  { title: "introspection", path: () => "introspection" },
  statement("rows", "SELECT target, status FROM sys_invocation ORDER BY created_at"),
  statement("groups", "SELECT status, COUNT(*) AS held FROM sys_invocation_status GROUP BY status ORDER BY status"),
  statement("a useful query", "SELECT COUNT(1) FROM sys_invocation_status;"),
];

interface ListFilter {
  readonly operation?: "IN" | "NOT_IN";
  readonly statuses?: readonly string[];
  readonly order?: "ASC" | "DESC" | "NONE";
  readonly more?: string;
  /** The column of the sort. */
  readonly field?: string;
}

function list(
  title: string,
  { operation = "IN", statuses, order = "DESC", more = "", field = "created_at" }: ListFilter,
): UiPage {
  const columns = ["id", "created_at", "modified_at", "duration", "target", "status"].map((name) => `column=${name}`);
  const status = statuses === undefined ? "" : `&filter_status=${filter(operation, statuses)}`;
  const sort = order === "NONE" ? "sort_field=none" : `sort_field=${field}&sort_order=${order}`;
  const query = `${columns.join("&")}${status}&${sort}${more}`;
  return { title: `invocations: ${title}`, path: () => `invocations?${query}` };
}

function statement(title: string, query: string): UiPage {
  return { title: `introspection: ${title}`, path: () => `introspection?query=${encodeURIComponent(query)}` };
}

function filter(operation: string, value: readonly string[]): string {
  return encodeURIComponent(JSON.stringify({ operation, value }));
}
