/**
 * `GET /internal/overview`: what most needs an operator, the number of open invocations by status, and the number of
 * invocations that ended in each minute of the last hour.
 */
import { type AttentionRow, attention } from "../../engine/query/attention.ts";
import type { EndsView } from "../../engine/local/recent-ends.ts";
import type { HttpResponse } from "../http/message.ts";
import { jsonResponse } from "../http/message.ts";
import type { AttentionBody, EndedBody, OverviewBody } from "../wire/overview.ts";
import type { AdminRequest } from "./admin-request.ts";
import { present, written } from "./present.ts";
import { summaryBody } from "./summary-body.ts";
import { momentText } from "./time-text.ts";
import { pauseBody, waitBody } from "./wait-body.ts";

export async function showOverview({ engine, deps }: AdminRequest): Promise<HttpResponse> {
  const { census, rows } = await attention(engine);
  const body: OverviewBody = {
    attention: rows.map(attentionBody),
    open: Object.fromEntries(census.counts),
    overdue: census.suspected.get("overdue") ?? 0,
    ...(census.isPartial && { at_least: true }),
    ...present({ ended: written(deps.recentEnds?.(), endedBody) }),
  };
  return jsonResponse(200, body);
}

function attentionBody({ kind, row, sinceMs, waitsFor, pause }: AttentionRow): AttentionBody {
  return {
    kind,
    since: momentText(sinceMs),
    ...summaryBody(row),
    waits_for: waitsFor.map(waitBody),
    ...present({ pause: written(pause, pauseBody) }),
  };
}

function endedBody({ sinceMs, minutes }: EndsView): EndedBody {
  return {
    since: momentText(sinceMs),
    minutes: minutes.map(({ atMs, ...counts }) => ({ at: momentText(atMs), ...counts })),
  };
}
