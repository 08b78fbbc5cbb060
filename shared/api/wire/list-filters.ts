/**
 * The filters of the list of invocations, one row each. The API reads its parameters from this table, the command its options,
 * the web UI the names of its filter box and of its addresses; changes of many invocations select by the same rows.
 */
import { OUTCOME_WORDS, STATUS_WORDS } from "./status-words.ts";

export interface ListFilter {
  /** The option `--name` of the command, and `name:` in the filter box and in the addresses of the web UI. */
  readonly name: string;
  /** The parameter of `GET /invocations`; absent for a spelling of other parameters. */
  readonly parameter?: string;
  /**
   * `names`: several values have commas between them, or are repeated. `texts`: a value may contain commas, so several are
   * repeated. `moment`: a moment or an age; of several, the narrowest counts. `age`: an age with `<` or `>` before it.
   */
  readonly kind: "names" | "texts" | "moment" | "age";
  /** All values that a filter of names may have. */
  readonly words?: readonly string[];
  /** The column of `sys_invocation` that the indexes narrow; without one, a page reads the details of each row. */
  readonly column?: string;
  /** Which end of the column a moment bounds. */
  readonly bound?: "fromMs" | "toMs";
  /** No invocation matches together with values of this other filter, apart from those in `but`. */
  readonly excludes?: { readonly name: string; readonly but: readonly string[] };
  /** The text of the OpenAPI document. */
  readonly description?: string;
  /** Present if commands have the option: the name of its value, and its help. */
  readonly option?: { readonly value: string; readonly help: string };
  /** Present if the web UI has the filter: the note beside its name. */
  readonly note?: string;
}

const SEVERAL = "one, or several with commas between them or in repeated parameters.";

const ROWS = [
  {
    name: "status",
    parameter: "status",
    kind: "names",
    words: STATUS_WORDS,
    column: "status",
    description: `\`open\` for all but completed, ${STATUS_WORDS.slice(1).join(", ")}: ${SEVERAL}`,
    option: {
      value: "status",
      help: "only invocations with one of these statuses or outcomes; `open` means all but completed",
    },
    note: "open, paused, backing-off, …",
  },
  {
    name: "outcome",
    parameter: "outcome",
    kind: "names",
    words: OUTCOME_WORDS,
    excludes: { name: "status", but: ["completed"] },
    description: `Outcomes of completed invocations, ${OUTCOME_WORDS.join(", ")}: ${SEVERAL}`,
    note: "succeeded, failed, cancelled, killed",
  },
  {
    name: "service",
    parameter: "service",
    kind: "names",
    column: "target_service_name",
    description: `Names of services: ${SEVERAL}`,
    option: { value: "name", help: "only invocations of these services" },
    note: "of the registry",
  },
  {
    name: "handler",
    parameter: "handler",
    kind: "names",
    column: "target_handler_name",
    description: `Names of handlers: ${SEVERAL}`,
    option: { value: "name", help: "only invocations of these handlers" },
    note: "of the registry",
  },
  {
    name: "key",
    parameter: "key",
    kind: "texts",
    column: "target_service_key",
    description: "The key of an object or the id of a workflow; repeat the parameter for several.",
    option: { value: "key", help: "only invocations of these keys of objects or workflows" },
    note: 'of an object or a workflow: key:"a b"',
  },
  {
    name: "scope",
    parameter: "scope",
    kind: "names",
    column: "scope",
    description: `Scopes: ${SEVERAL}`,
    option: { value: "scope", help: "only invocations in these scopes" },
    note: "of a call: scope:tenant-1",
  },
  {
    name: "limit-key",
    parameter: "limit_key",
    kind: "names",
    description: `Limit keys, as they were given: ${SEVERAL}`,
    option: { value: "key", help: "only invocations in scopes with these limit keys" },
    note: "in a scope: limit-key:a/b",
  },
  {
    name: "deployment",
    parameter: "deployment",
    kind: "names",
    column: "pinned_deployment_id",
    description: `Ids of deployments, of the last attempt for completed invocations: ${SEVERAL}`,
    option: {
      value: "id",
      help: "only invocations of these deployments; of completed ones, the deployment of the last attempt counts",
    },
    note: "open invocations pinned to it",
  },
  {
    name: "cause",
    parameter: "cause",
    kind: "names",
    description: `Causes of failures, from \`causes\` of the overview: ${SEVERAL}`,
    option: { value: "id", help: "only invocations that failed by these causes, whose ids `stepwell status` shows" },
    note: "from a group of the overview",
  },
  {
    name: "created-after",
    parameter: "created_after",
    kind: "moment",
    column: "created_at",
    bound: "fromMs",
    description: "Only invocations that were accepted at this moment (RFC 3339, or an age such as 15m) or later.",
  },
  {
    name: "created-before",
    parameter: "created_before",
    kind: "moment",
    column: "created_at",
    bound: "toMs",
    description: "Only invocations that were accepted at this moment (RFC 3339, or an age such as 15m) or earlier.",
    option: {
      value: "moment",
      help: "only invocations that were accepted at this moment or earlier: 2026-11-24T13:00:00Z, or an age by the clock of the server, such as 15m",
    },
    note: "2026-11-24T13:00:00Z, or an age: 1h",
  },
  { name: "age", kind: "age", note: ">1h older, <10m younger" },
] as const satisfies readonly ListFilter[];

export const LIST_FILTERS: readonly ListFilter[] = ROWS;

/** The names of the filters that the web UI has. */
export type FilterName = Extract<(typeof ROWS)[number], { readonly note: string }>["name"];

/** The orders of the list, by the moment of acceptance. Only open invocations have an index that begins with the oldest. */
export const LIST_ORDERS = ["newest", "oldest"] as const;
export type ListOrder = (typeof LIST_ORDERS)[number];

const UNITS_MS = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;
const MOMENT = /^\d{4}-\d\d-\d\dT[0-9:.]{5,18}(?:Z|[+-]\d\d:\d\d)$/;

/** @param age `30s`, `15m`, `2h` or `7d`; @returns undefined for another text */
export function ageMsOf(age: string): number | undefined {
  const [, count, unit] = /^(\d{1,6})([smhd])$/.exec(age) ?? [];
  return count === undefined ? undefined : Number(count) * UNITS_MS[unit as keyof typeof UNITS_MS];
}

/** @param text a moment in RFC 3339, or the age of what was accepted at the moment; @returns undefined for another text */
export function momentMsOf(text: string, nowMs: number): number | undefined {
  const ageMs = ageMsOf(text);
  if (ageMs !== undefined) return nowMs - ageMs;
  const atMs = MOMENT.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(atMs) ? undefined : atMs;
}
