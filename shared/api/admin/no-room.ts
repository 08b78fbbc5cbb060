/** The refusal of the admin API where its door has no room in memory. */
import type { HttpResponse } from "../http/message.ts";
import { jsonResponse } from "../http/message.ts";
import type { AdminErrorBody } from "../wire/admin.ts";

const REFUSALS = {
  bodies: "this server has no room for the body, because bodies of other requests hold it (admin.bodies-size-limit)",
  answers: "this server has no room for the answer, because clients have yet to read others (admin.answers-size-limit)",
};

/** The answer of a door that has no room for a body or an answer. */
export function noRoomResponse(what: keyof typeof REFUSALS): HttpResponse {
  const body: AdminErrorBody = { message: `${REFUSALS[what]}: try again in a moment`, restate_code: null };
  return jsonResponse(503, body, { "retry-after": "1" });
}
