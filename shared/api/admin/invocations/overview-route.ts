/**
 * `GET /internal/overview`: what most needs an operator, the number of open invocations by status, and the number of
 * invocations that ended in each minute of the last hour.
 */
import { type AttentionRow, attention } from "../../../engine/query/attention.ts";
import type { EndsView } from "../../../engine/local/recent-ends.ts";
import { jsonResponse, type HttpResponse } from "../../http/message.ts";
import type { OpenCircuit } from "../../../core/model/circuit.ts";
import type { CauseGroup } from "../../../engine/query/failing-targets.ts";
import {
  type AttentionBody,
  type CauseBody,
  type EndedBody,
  type HeldBody,
  OverviewBody,
} from "../../contract/overview.ts";
import { type AdminRequest, route } from "../requests/admin-request.ts";
import { momentText, present, written } from "../requests/json-members.ts";
import { errorBody, summaryBody } from "./summary-body.ts";
import { pauseBody, waitBody } from "./wait-body.ts";

export const OVERVIEW_ROUTE = route("GET", "/internal/overview", showOverview, {
  summary: "Show what needs an operator, and count the open invocations",
  answers: { 200: OverviewBody },
});

async function showOverview({ engine, deps }: AdminRequest): Promise<HttpResponse> {
  const { census, rows, causes } = await attention(engine);
  const circuits = [...engine.registry.circuits()].toSorted(([a], [b]) => (a < b ? -1 : 1));
  const body: OverviewBody = {
    attention: rows.map(attentionBody),
    causes: causes.map(causeBody),
    circuits: circuits.map(([name, circuit]) => heldBody(circuit, census.failing.held.get(name) ?? 0)),
    open: Object.fromEntries(census.counts),
    overdue: census.suspected.get("overdue") ?? 0,
    ...(census.isPartial && { at_least: true }),
    ...present({ ended: written(deps.recentEnds?.(), endedBody) }),
  };
  return jsonResponse(200, body);
}

function causeBody({ kind, service, handler, cause, error, sinceMs, count, lookedAt, among }: CauseGroup): CauseBody {
  return {
    kind,
    service,
    handler,
    ...(cause !== undefined && { cause: cause.id, text: cause.text }),
    ...(error !== undefined && { error: errorBody(error) }),
    since: momentText(sinceMs),
    count,
    looked_at: lookedAt,
    among,
  };
}

function heldBody({ deploymentId, service, sinceMs, untilMs, reason }: OpenCircuit, waiting: number): HeldBody {
  return {
    deployment_id: deploymentId,
    service,
    open_since: momentText(sinceMs),
    next_attempt_at: momentText(untilMs),
    reason,
    waiting,
  };
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
