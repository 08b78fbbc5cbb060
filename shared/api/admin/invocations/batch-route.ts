/** The route that applies one operation to many invocations, and reports each outcome. */
import type { InvocationId } from "../../../core/model/ids.ts";
import { atMost } from "../../../engine/bulkheads/at-most.ts";
import { StoreError } from "../../../engine/ports/table.ts";
import type { DeploymentChoice } from "../../../engine/ports/submission.ts";
import { emptyResponse, jsonResponse, type HttpResponse } from "../../http/message.ts";
import { HttpProblem } from "../../http/problem.ts";
import { type AdminRequest, route, pathParam } from "../requests/admin-request.ts";
import {
  interruptedStatus,
  pausedStatus,
  refuseUnlessPurged,
  refuseUnlessResumed,
  restartedAs,
} from "./invocation-routes.ts";
import { BatchBody, BATCH_MAX, type BatchSuccessBody, InvocationBatch } from "../../contract/changes.ts";
import { readJsonBody } from "../requests/json-body.ts";

/** The number of concurrent operations. */
const AT_A_TIME = 20;
const STATUS_NOTED = 202;

interface BatchOptions {
  readonly deployment: DeploymentChoice | undefined;
  /** Collects the ids whose change is recorded and applies later. */
  readonly noted: string[];
}

type Operation = (asked: AdminRequest, id: InvocationId, options: BatchOptions) => Promise<BatchSuccessBody>;

/** Each operation throws an HttpProblem if the engine refuses it. */
const OPERATIONS: Readonly<Record<string, Operation>> = {
  async cancel({ engine, deps, request }, id, { noted }) {
    const status = interruptedStatus(id, await deps.invocations.cancel(engine, id, request.caller));
    if (status === STATUS_NOTED) noted.push(id);
    return id;
  },
  async kill({ engine, deps, request }, id, { noted }) {
    const status = interruptedStatus(id, await deps.invocations.kill(engine, id, request.caller));
    if (status === STATUS_NOTED) noted.push(id);
    return id;
  },
  async pause({ engine, deps, request }, id, { noted }) {
    const status = pausedStatus(id, await deps.invocations.pause(engine, id, request.caller));
    if (status === STATUS_NOTED) noted.push(id);
    return id;
  },
  async resume({ engine, deps, request }, id, { deployment = { kind: "keep" } }) {
    refuseUnlessResumed(id, await deps.invocations.resume(engine, id, deployment, request.caller));
    return id;
  },
  async purge({ engine, deps }, id) {
    refuseUnlessPurged(id, await deps.invocations.purge(engine, id));
    return id;
  },
  async "purge-journal"({ engine, deps }, id) {
    refuseUnlessPurged(id, await deps.invocations.purgeJournal(engine, id));
    return id;
  },
  async "restart-as-new"({ engine, deps, request }, id, { deployment = { kind: "latest" } }) {
    const restart = await deps.invocations.restart(engine, id, 0, deployment, request.caller);
    return { old_invocation_id: id, new_invocation_id: restartedAs(id, restart) };
  },
};

export const BATCH_ROUTE = route("POST", "/internal/invocations_batch_operations/:operation", operateOnMany, {
  summary: "Apply one of the operations to many invocations",
  body: [InvocationBatch],
  answers: { 200: BatchBody },
});

async function operateOnMany(asked: AdminRequest): Promise<HttpResponse> {
  const name = pathParam(asked, "operation");
  const operation = Object.hasOwn(OPERATIONS, name) ? OPERATIONS[name] : undefined;
  if (operation === undefined) return emptyResponse(404);
  const { invocation_ids: ids, deployment } = readJsonBody(asked.request, InvocationBatch);
  if (ids.length > BATCH_MAX) throw new HttpProblem(400, `${ids.length} invocations are more than ${BATCH_MAX}`);
  const succeeded: BatchSuccessBody[] = [];
  const noted: string[] = [];
  const failed: { invocation_id: string; error: string }[] = [];
  await atMost(AT_A_TIME, ids, async (id) => {
    try {
      succeeded.push(await operation(asked, id, { deployment, noted }));
    } catch (error) {
      if (!(error instanceof HttpProblem) && !(error instanceof StoreError)) throw error;
      failed.push({ invocation_id: id, error: error.message });
    }
  });
  const body: BatchBody = { succeeded, failed, ...(noted.length > 0 && { noted }) };
  return jsonResponse(200, body);
}
