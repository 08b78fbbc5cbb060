/** `GET /invocations`: one page of invocations that match the filters. */
import { isPresented, type Presented } from "../../core/query/status-words.ts";
import { targetText } from "../../core/model/target.ts";
import { listInvocations, OPEN_STATUSES, UnlistableError } from "../../engine/query/list-invocations.ts";
import type { InvocationFilter } from "../../engine/query/list-invocations.ts";
import type { InvocationPage } from "../../engine/query/list-page.ts";
import { type ListPosition, positionIn, positionText } from "../../engine/query/list-position.ts";
import { SqlError } from "../../engine/ports/sql.ts";
import type { HttpResponse } from "../http/message.ts";
import { jsonResponse } from "../http/message.ts";
import { HttpProblem } from "../http/problem.ts";
import type { InvocationListBody, InvocationSummaryBody } from "../wire/admin.ts";
import type { AdminRequest } from "./admin-request.ts";
import { PlainRefusal } from "./plain-refusal.ts";
import { present } from "./present.ts";
import { momentText } from "./time-text.ts";

const LIMIT_DEFAULT = 100;
const LIMIT_MAX = 500;

/**
 * Query: `status` (statuses of the API, or `open` for all but completed), `service`, `handler`, `key`, `deployment`,
 * each repeatable or with commas (keys may contain commas, so they are only repeatable); `limit`; `after`, the `next`
 * of another page.
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
  });
  try {
    return jsonResponse(200, bodyOf(await listInvocations(engine, filter, limitIn(query), afterIn(query))));
  } catch (error) {
    if (error instanceof UnlistableError || error instanceof SqlError) throw new HttpProblem(400, error.message);
    throw error;
  }
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

function bodyOf({ invocations, next }: InvocationPage): InvocationListBody {
  return {
    invocations: invocations.map(summaryBody),
    ...(next && { next: positionText(next) }),
  };
}

function summaryBody(summary: InvocationPage["invocations"][number]): InvocationSummaryBody {
  const { id, service, handler, key, status, createdAtMs, deploymentId } = summary;
  return {
    id,
    target: targetText({ service, handler, ...(key !== undefined && { key }) }),
    target_service_name: service,
    ...present({ target_service_key: key }),
    target_handler_name: handler,
    status,
    created_at: momentText(createdAtMs),
    ...present({ pinned_deployment_id: deploymentId }),
  };
}
