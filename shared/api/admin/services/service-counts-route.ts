/** `GET /internal/service-counts`: how many invocations of each service are open, fail, are paused, and failed in the last hour. */
import { takeCensus } from "../../../engine/query/open-census.ts";
import { jsonResponse, type HttpResponse } from "../../http/message.ts";
import { ServiceCountsBody } from "../../contract/services.ts";
import { type AdminRequest, route } from "../requests/admin-request.ts";
import { momentText } from "../requests/json-members.ts";

const NONE = { open: 0, failing: 0, paused: 0 };

export const SERVICE_COUNTS_ROUTE = route("GET", "/internal/service-counts", showServiceCounts, {
  summary: "Count the invocations of each service: open, failing, paused, and failed in the last hour",
  answers: { 200: ServiceCountsBody },
});

/** Costs a walk over the open index, which one answer of the overview costs too, and no other read. */
async function showServiceCounts({ engine, deps }: AdminRequest): Promise<HttpResponse> {
  const { services, isPartial } = await takeCensus(engine);
  const ends = deps.recentEnds?.();
  const names = [...new Set([...services.all.keys(), ...(ends?.failed.keys() ?? [])])].toSorted();
  const body: ServiceCountsBody = {
    services: names.map((service) => ({
      service,
      ...(services.all.get(service) ?? NONE),
      ...(ends !== undefined && { failed: ends.failed.get(service) ?? 0 }),
    })),
    ...(isPartial && { at_least: true }),
    ...(ends !== undefined && { failed_since: momentText(ends.sinceMs) }),
  };
  return jsonResponse(200, body);
}
