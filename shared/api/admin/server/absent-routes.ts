/** The routes of the reference server that Stepwell does not have: each answers with the reason and what to use instead. */
import { HttpProblem } from "../../http/problem.ts";
import type { RouteEntry } from "../../http/router.ts";
import type { AdminRoute } from "../requests/admin-request.ts";

const NOT_IMPLEMENTED = 501;

const VQUEUES =
  "Stepwell has no virtual queues. Pause and resume invocations instead: PATCH /invocations/{id}/pause and /resume";

/** These stay out of the OpenAPI document, because no client can use them. */
export const ABSENT_ROUTES: readonly RouteEntry<AdminRoute>[] = [
  { method: "POST", pattern: "/vqueues/:id/pause", target: absent(VQUEUES) },
  { method: "POST", pattern: "/vqueues/:id/resume", target: absent(VQUEUES) },
];

function absent(reason: string): AdminRoute {
  return () => Promise.reject(new HttpProblem(NOT_IMPLEMENTED, reason));
}
