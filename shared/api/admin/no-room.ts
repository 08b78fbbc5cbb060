/** The refusals of the admin API when its memory for bodies or answers is full. */
import type { HttpResponse } from "../http/message.ts";
import { jsonResponse } from "../http/message.ts";
import type { AdminErrorBody } from "../wire/admin.ts";

const REFUSALS = {
  bodies: "this server has no room for the body, because bodies of other requests hold it (admin.bodies-size-limit)",
  answers: "this server has no room for the answer, because clients have yet to read others (admin.answers-size-limit)",
};

/** The refusal for a body or an answer for which no memory is left. */
export function noRoomResponse(what: keyof typeof REFUSALS): HttpResponse {
  const body: AdminErrorBody = { message: `${REFUSALS[what]}: try again in a moment`, restate_code: null };
  return jsonResponse(503, body, { "retry-after": "1" });
}
