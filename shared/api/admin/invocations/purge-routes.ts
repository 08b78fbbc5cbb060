/** The routes that delete a completed invocation, or only its journal. */
import type { InvocationId } from "../../../core/model/ids.ts";
import type { Purging } from "../../../engine/ports/submission.ts";
import type { HttpResponse } from "../../http/message.ts";
import { emptyResponse } from "../../http/message.ts";
import type { AdminRequest } from "../requests/admin-request.ts";
import { invocationIdParam } from "./invocation-id-param.ts";
import { openInvocation, unknownInvocation } from "./invocation-problems.ts";

export async function purgeInvocation(asked: AdminRequest): Promise<HttpResponse> {
  const id = invocationIdParam(asked);
  refuseUnlessPurged(id, await asked.deps.invocations.purge(asked.engine, id));
  return emptyResponse(200);
}

export async function purgeJournalOfInvocation(asked: AdminRequest): Promise<HttpResponse> {
  const id = invocationIdParam(asked);
  refuseUnlessPurged(id, await asked.deps.invocations.purgeJournal(asked.engine, id));
  return emptyResponse(200);
}

/** @throws HttpProblem */
export function refuseUnlessPurged(id: InvocationId, purging: Purging): void {
  switch (purging) {
    case "done":
      return;
    case "open":
      throw openInvocation(id);
    case "unknown":
      throw unknownInvocation(id);
  }
}
