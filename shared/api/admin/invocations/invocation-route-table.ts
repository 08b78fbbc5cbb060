/** The routes that change, end or delete an invocation. */
import type { RouteEntry } from "../../http/router.ts";
import type { AdminRoute } from "../requests/admin-request.ts";
import { operateOnMany } from "./batch-route.ts";
import { cancelInvocation, killInvocation, terminateInvocation } from "./invocation-routes.ts";
import { purgeInvocation, purgeJournalOfInvocation } from "./purge-routes.ts";
import { pauseInvocation, resumeInvocation } from "./pause-routes.ts";
import { restartInvocation } from "./restart-route.ts";

export const LIFE_ROUTES: readonly RouteEntry<AdminRoute>[] = [
  { method: "DELETE", pattern: "/invocations/:id", target: terminateInvocation },
  { method: "PATCH", pattern: "/invocations/:id/cancel", target: cancelInvocation },
  { method: "PATCH", pattern: "/invocations/:id/kill", target: killInvocation },
  { method: "PATCH", pattern: "/invocations/:id/pause", target: pauseInvocation },
  { method: "PATCH", pattern: "/invocations/:id/resume", target: resumeInvocation },
  { method: "PATCH", pattern: "/invocations/:id/purge", target: purgeInvocation },
  { method: "PATCH", pattern: "/invocations/:id/purge-journal", target: purgeJournalOfInvocation },
  { method: "PATCH", pattern: "/invocations/:id/restart-as-new", target: restartInvocation },
  { method: "POST", pattern: "/internal/invocations_batch_operations/:operation", target: operateOnMany },
];
