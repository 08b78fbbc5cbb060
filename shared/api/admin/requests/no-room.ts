/** Refusals of the admin API that the HTTP layer gives: its memory is full, or the bytes are no acceptable request. */
import { jsonResponse, type HttpResponse } from "../../http/message.ts";
import type { AdminErrorBody } from "../../contract/server.ts";

const REFUSALS = {
  bodies: "this server has no room for the body, because bodies of other requests hold it (admin.bodies-size-limit)",
  answers: "this server has no room for the answer, because clients have yet to read others (admin.answers-size-limit)",
};

/** The refusal for a body or an answer for which no memory is left. */
export function noRoomResponse(what: keyof typeof REFUSALS): HttpResponse {
  return adminRefusal(503, `${REFUSALS[what]}: try again in a moment`, { "retry-after": "1" });
}

export function adminRefusal(
  status: number,
  message: string,
  headers: Readonly<Record<string, string>> = {},
): HttpResponse {
  const body: AdminErrorBody = { message, restate_code: null };
  return jsonResponse(status, body, headers);
}
