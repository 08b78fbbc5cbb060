/** `GET /invocations`: one page of invocations that match the filters. */
import * as z from "zod";
import { END_OUTCOMES } from "../../../core/invocation/end-outcome.ts";
import { type Bound, both } from "../../../core/query/narrowing.ts";
import { isCauseId } from "../../../core/query/cause.ts";
import type { Engine } from "../../../engine/engine.ts";
import {
  listInvocations,
  OPEN_STATUSES,
  UnlistableError,
  type PageChoice,
} from "../../../engine/query/list-invocations.ts";
import { type DetailedPage, listByDetails } from "../../../engine/query/list-by-details.ts";
import { type ListPosition, positionIn, positionText } from "../../../engine/query/list-position.ts";
import { waitsOfRows } from "../../../engine/query/waits-for.ts";
import { RowReader } from "../../../engine/query/row-details.ts";
import { SqlError } from "../../../engine/ports/sql.ts";
import { jsonResponse, type HttpResponse } from "../../http/message.ts";
import { HttpProblem } from "../../http/problem.ts";
import { InvocationListBody } from "../../contract/invocations.ts";
import { LIST_FILTERS, LIST_ORDERS, type ListFilter, momentMsOf } from "../../wire/list-filters.ts";
import { type AdminRequest, route, PlainRefusal } from "../requests/admin-request.ts";
import { present } from "../requests/json-members.ts";
import { summaryBody } from "./summary-body.ts";
import { waitBody } from "./wait-body.ts";

const LIMIT_DEFAULT = 100;
const LIMIT_MAX = 500;

const words = z.string().optional();

const ListInvocationsQuery = z.object({
  ...Object.fromEntries(
    LIST_FILTERS.flatMap(({ parameter, description = "" }) =>
      parameter === undefined ? [] : [[parameter, words.describe(description)]],
    ),
  ),
  order: z
    .enum(LIST_ORDERS)
    .optional()
    .describe("`oldest` for the oldest first, only with open statuses; `newest` unless given."),
  details: words.describe(
    "`false` leaves out the details that the indexes do not show; they cost a read for each row.",
  ),
  waits: words.describe("`true` adds what each open invocation waits for, which costs a load for each open row."),
  limit: words.describe("The most invocations of the page, from 1 to 500; 100 unless given."),
  after: words.describe("The `next` of another page."),
});

export const LIST_ROUTE = route("GET", "/invocations", listInvocationsRoute, {
  summary: "List invocations, by filters and page by page",
  query: ListInvocationsQuery,
  answers: { 200: InvocationListBody },
});

/**
 * Query: the parameters of the filters (`LIST_FILTERS`). `order` is `newest` by default. `after` is the `next` of another page in
 * the same order, `limit` the size of the page (100 by default). `details` is `true` by default; `waits=true` adds what each open
 * invocation waits for.
 */
async function listInvocationsRoute({ engine, request }: AdminRequest): Promise<HttpResponse> {
  const query = new URLSearchParams(request.query);
  try {
    const withWaits = flagIn(query, "waits", "false");
    return jsonResponse(200, await bodyOf(engine, await pageOf(engine, query), withWaits));
  } catch (error) {
    if (error instanceof UnlistableError || error instanceof SqlError) throw new HttpProblem(400, error.message);
    throw error;
  }
}

async function pageOf(engine: Engine, query: URLSearchParams): Promise<DetailedPage> {
  const [bounds, choice] = [boundsIn(query, engine.clock.nowMs()), choiceIn(query)];
  const [outcomes, causes, limitKeys] = ["outcome", "cause", "limit_key"].map((name) => bounds.get(name)?.in);
  const statuses = bounds.get("status")?.in ?? ["completed"];
  const mayBeEnded = outcomes !== undefined || statuses.includes("completed");
  // The indexes show the deployments of open invocations alone.
  const deployments = mayBeEnded ? bounds.get("pinned_deployment_id")?.in : undefined;
  const isDetailed = flagIn(query, "details", "true");
  if ([outcomes, causes, limitKeys, deployments].every((names) => names === undefined)) {
    const page = await listInvocations(engine, bounds, choice);
    return isDetailed ? { ...page, invocations: await new RowReader(engine).details(page.invocations) } : page;
  }
  if (deployments !== undefined) bounds.delete("pinned_deployment_id");
  const wanted = present({
    outcomes: outcomes && new Set(END_OUTCOMES.filter((outcome) => outcomes.includes(outcome))),
    causes: causes && new Set(causes),
    limitKeys: limitKeys && new Set(limitKeys),
    deployments: deployments && new Set(deployments),
  });
  return await listByDetails(engine, bounds, wanted, choice);
}

/** Bounds by column of `sys_invocation`; those of filters without a column by parameter. */
function boundsIn(query: URLSearchParams, nowMs: number): Map<string, Bound> {
  const bounds = new Map<string, Bound>();
  for (const filter of LIST_FILTERS) {
    const { parameter, column = parameter } = filter;
    if (parameter === undefined || column === undefined) continue;
    for (const bound of boundsOf(filter, query.getAll(parameter), nowMs))
      bounds.set(column, both(bounds.get(column) ?? {}, bound));
  }
  return bounds;
}

function boundsOf(filter: ListFilter, written: readonly string[], nowMs: number): readonly Bound[] {
  const { parameter, kind, bound = "toMs" } = filter;
  if (kind === "moment")
    return written.map((text) => {
      const atMs = momentMsOf(text, nowMs);
      if (atMs !== undefined) return { [bound]: atMs };
      throw badQuery(`${parameter}: this is no moment such as 2026-11-24T13:00:00Z, and no age such as 15m`);
    });
  if (written.length === 0) return [];
  return [{ in: kind === "names" ? namesIn(filter, written) : written }];
}

function namesIn({ parameter, words }: ListFilter, written: readonly string[]): readonly string[] {
  const names = written.flatMap((value) => value.split(","));
  const stranger = words && names.find((name) => !words.includes(name));
  if (stranger !== undefined) throw badQuery(`${parameter}: '${stranger}' is none of ${words!.join(", ")}`);
  if (parameter === "cause" && !names.every(isCauseId))
    throw badQuery("cause: this is not the `cause` of a group of the overview");
  return parameter === "status"
    ? names.flatMap((word): readonly string[] => (word === "open" ? OPEN_STATUSES : [word]))
    : names;
}

function choiceIn(query: URLSearchParams): PageChoice {
  const order = query.get("order") ?? "newest";
  if (!LIST_ORDERS.some((known) => known === order))
    throw badQuery(`order: '${order}' is neither ${LIST_ORDERS.join(" nor ")}`);
  return { limit: limitIn(query), after: afterIn(query), order: order === "oldest" ? "oldest-first" : "newest-first" };
}

function flagIn(query: URLSearchParams, name: string, usual: "true" | "false"): boolean {
  const text = query.get(name) ?? usual;
  if (text !== "true" && text !== "false") throw badQuery(`${name}: '${text}' is neither true nor false`);
  return text === "true";
}

function limitIn(query: URLSearchParams): number {
  const text = query.get("limit");
  if (text === null) return LIMIT_DEFAULT;
  const limit = /^\d{1,6}$/.test(text) ? Number(text) : 0;
  if (limit < 1 || limit > LIMIT_MAX) throw badQuery(`limit: '${text}' is not a number from 1 to ${LIMIT_MAX}`);
  return limit;
}

function afterIn(query: URLSearchParams): ListPosition | undefined {
  const text = query.get("after");
  if (text === null) return undefined;
  const position = positionIn(text);
  if (position === undefined) throw badQuery("after: this is not the `next` of a page");
  return position;
}

function badQuery(why: string): PlainRefusal {
  return new PlainRefusal(400, `Failed to deserialize query string: ${why}`);
}

async function bodyOf(
  engine: Engine,
  { invocations, next }: DetailedPage,
  withWaits: boolean,
): Promise<InvocationListBody> {
  const waits = withWaits ? await waitsOfRows(engine, invocations) : undefined;
  return {
    invocations: invocations.map((row) => {
      const own = waits?.get(row.id);
      return { ...summaryBody(row), ...(own !== undefined && { waits_for: own.map(waitBody) }) };
    }),
    ...(next && { next: positionText(next) }),
  };
}
