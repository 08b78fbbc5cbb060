/** `GET /invocations`: one page of invocations that match the filters. */
import { END_OUTCOMES, type EndOutcome } from "../../../core/invocation/end-outcome.ts";
import { isPresented, type Presented } from "../../../core/query/status-words.ts";
import { isCauseId } from "../../../core/query/cause.ts";
import type { Engine } from "../../../engine/engine.ts";
import { listInvocations, OPEN_STATUSES, UnlistableError } from "../../../engine/query/list-invocations.ts";
import type { InvocationFilter } from "../../../engine/query/list-invocations.ts";
import { type DetailedPage, type DetailsFilter, listByDetails } from "../../../engine/query/list-by-details.ts";
import { type ListPosition, positionIn, positionText } from "../../../engine/query/list-position.ts";
import { waitsOfRows } from "../../../engine/query/row-waits.ts";
import { RowReader } from "../../../engine/query/row-details.ts";
import { SqlError } from "../../../engine/ports/sql.ts";
import type { HttpResponse } from "../../http/message.ts";
import { jsonResponse } from "../../http/message.ts";
import { HttpProblem } from "../../http/problem.ts";
import type { InvocationListBody } from "../../wire/invocation.ts";
import type { AdminRequest } from "../requests/admin-request.ts";
import { PlainRefusal } from "../requests/plain-refusal.ts";
import { present } from "../requests/present.ts";
import { summaryBody } from "./summary-body.ts";
import { waitBody } from "./wait-body.ts";

const LIMIT_DEFAULT = 100;
const LIMIT_MAX = 500;

/**
 * Query: `status` (statuses of the API, or `open` for all but completed), `service`, `handler`, `deployment` and `outcome`
 * (how a completed invocation ended) and `cause` (of a group of the overview) may be repeated, or have several values with commas between them. `key` may only be
 * repeated, because keys may contain commas. `created_after` and `created_before` are moments, inclusive. `after` is the `next`
 * of another page, `limit` the size of the page (100 by default). `details` is `true` by default; `waits=true` adds what each
 * open invocation waits for.
 */
export async function listInvocationsRoute({ engine, request }: AdminRequest): Promise<HttpResponse> {
  const query = new URLSearchParams(request.query);
  const statuses = wordsIn(query, "status")?.flatMap(statusesOf);
  const filter: InvocationFilter = present({
    statuses,
    services: wordsIn(query, "service"),
    handlers: wordsIn(query, "handler"),
    keys: query.has("key") ? query.getAll("key") : undefined,
    deployments: wordsIn(query, "deployment"),
    created: createdIn(query),
  });
  try {
    const withWaits = flagIn(query, "waits", "false");
    return jsonResponse(200, await bodyOf(engine, await pageOf(engine, query, filter), withWaits));
  } catch (error) {
    if (error instanceof UnlistableError || error instanceof SqlError) throw new HttpProblem(400, error.message);
    throw error;
  }
}

function createdIn(query: URLSearchParams): InvocationFilter["created"] {
  const bounds = present({ fromMs: momentIn(query, "created_after"), toMs: momentIn(query, "created_before") });
  return Object.keys(bounds).length === 0 ? undefined : bounds;
}

function momentIn(query: URLSearchParams, name: string): number | undefined {
  const text = query.get(name);
  if (text === null) return undefined;
  const atMs = /^\d{4}-\d\d-\d\dT[0-9:.]{5,18}(?:Z|[+-]\d\d:\d\d)$/.test(text) ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(atMs)) throw badQuery(`${name}: this is no moment such as 2026-11-24T13:00:00Z`);
  return atMs;
}

async function pageOf(engine: Engine, query: URLSearchParams, filter: InvocationFilter): Promise<DetailedPage> {
  const [outcomes, limit, after] = [outcomesIn(query), limitIn(query), afterIn(query)];
  const isDetailed = flagIn(query, "details", "true");
  const wanted = detailsFilterOf(query, filter, outcomes);
  if (wanted !== undefined) {
    const { deployments, ...rest } = filter;
    // The indexes show the deployments of open invocations alone.
    const narrowed = wanted.deployments === undefined && deployments !== undefined ? { ...rest, deployments } : rest;
    return await listByDetails(engine, narrowed, wanted, limit, after);
  }
  const page = await listInvocations(engine, filter, limit, after);
  if (!isDetailed) return page;
  return { ...page, invocations: await new RowReader(engine).details(page.invocations) };
}

/** @returns undefined if the indexes show all that the filter names */
function detailsFilterOf(
  query: URLSearchParams,
  { statuses, deployments }: InvocationFilter,
  outcomes: ReadonlySet<EndOutcome> | undefined,
): DetailsFilter | undefined {
  const causes = causesIn(query);
  const mayBeEnded = outcomes !== undefined || (statuses ?? ["completed"]).includes("completed");
  const where = mayBeEnded ? deployments : undefined;
  if (outcomes === undefined && causes === undefined && where === undefined) return undefined;
  return present({ outcomes, causes, deployments: where && new Set(where) });
}

function causesIn(query: URLSearchParams): ReadonlySet<string> | undefined {
  const words = wordsIn(query, "cause");
  const stranger = words?.find((word) => !isCauseId(word));
  if (stranger !== undefined) throw badQuery("cause: this is not the `cause` of a group of the overview");
  return words && new Set(words);
}

function outcomesIn(query: URLSearchParams): ReadonlySet<EndOutcome> | undefined {
  const words = wordsIn(query, "outcome");
  return words && new Set(words.map(outcomeOf));
}

function outcomeOf(word: string): EndOutcome {
  const outcome = END_OUTCOMES.find((known) => known === word);
  if (outcome === undefined) throw badQuery(`outcome: '${word}' is none of ${END_OUTCOMES.join(", ")}`);
  return outcome;
}

function flagIn(query: URLSearchParams, name: string, usual: "true" | "false"): boolean {
  const text = query.get(name) ?? usual;
  if (text !== "true" && text !== "false") throw badQuery(`${name}: '${text}' is neither true nor false`);
  return text === "true";
}

function wordsIn(query: URLSearchParams, name: string): readonly string[] | undefined {
  return query.has(name) ? query.getAll(name).flatMap((value) => value.split(",")) : undefined;
}

function statusesOf(word: string): readonly Presented[] {
  if (word === "open") return OPEN_STATUSES;
  if (isPresented(word)) return [word];
  throw badQuery(`status: '${word}' is not one of open, completed, ${OPEN_STATUSES.join(", ")}`);
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
