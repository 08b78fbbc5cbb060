/** Parses the invocation id in a path. */
import { IdError, parseInvocationId } from "../../../core/model/ids.ts";
import type { InvocationId } from "../../../core/model/ids.ts";
import { HttpProblem } from "../../http/problem.ts";
import { pathParam } from "../requests/admin-request.ts";
import type { AdminRequest } from "../requests/admin-request.ts";

/** @throws HttpProblem 400 if the text in the path is not an invocation id */
export function invocationIdParam(asked: AdminRequest): InvocationId {
  const raw = pathParam(asked, "id");
  try {
    return parseInvocationId(raw);
  } catch (error) {
    if (!(error instanceof IdError)) throw error;
    throw new HttpProblem(400, `The request field 'invocation_id' is invalid: ${error.message}`);
  }
}
