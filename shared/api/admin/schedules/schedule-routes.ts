/** The routes of schedules. */
import { invalidSchedule } from "../../../core/schedules/check-plan.ts";
import {
  applySchedules,
  backfillSchedule,
  createNew,
  pauseSchedule,
  putSchedule,
  removeSchedule,
  resumeSchedule,
  triggerSchedule,
} from "../../../engine/schedules/change-schedules.ts";
import { readSchedule, readSchedules, type StoredSchedule } from "../../../engine/store/schedule-record.ts";
import {
  ApplyQuery,
  AppliedSchedules,
  BackfillAnswer,
  BackfillRequest,
  ChangeScheduleBody,
  NewScheduleBody,
  PauseScheduleBody,
  ResumeScheduleBody,
  ScheduleBody,
  Schedules,
  ScheduleSetBody,
  TriggerAnswer,
  TriggerBody,
} from "../../contract/schedules.ts";
import { emptyResponse, type HttpResponse, jsonResponse } from "../../http/message.ts";
import { HttpProblem } from "../../http/problem.ts";
import { type AdminRequest, pathParam, route } from "../requests/admin-request.ts";
import { readJsonBody, readQuery } from "../requests/json-body.ts";
import { planOfBody } from "./plan-of-body.ts";
import { backfillBody, scheduleBody, wholeScheduleBody } from "./schedule-body.ts";

const INVALID = ["META0901"];

export const SCHEDULE_ROUTES = [
  route("GET", "/schedules", listSchedules, { summary: "List the schedules", answers: { 200: Schedules } }),
  route("POST", "/schedules", createSchedule, {
    summary: "Create a schedule",
    body: [NewScheduleBody],
    answers: { 201: ScheduleBody },
    codes: INVALID,
  }),
  route("PUT", "/schedules", applySet, {
    summary: "Make the schedules of the environment equal to a set",
    body: [ScheduleSetBody],
    query: ApplyQuery,
    answers: { 200: AppliedSchedules },
    codes: INVALID,
  }),
  route("GET", "/schedules/:name", showSchedule, {
    summary: "Show a schedule with its next moments and its last runs",
    answers: { 200: ScheduleBody },
  }),
  route("PUT", "/schedules/:name", putScheduleRoute, {
    summary: "Create a schedule or change it",
    body: [ChangeScheduleBody],
    answers: { 200: ScheduleBody, 201: ScheduleBody },
    codes: INVALID,
  }),
  route("DELETE", "/schedules/:name", deleteSchedule, {
    summary: "Delete a schedule; its open runs go on",
    answers: { 202: null },
  }),
  route("POST", "/schedules/:name/pause", pause, {
    summary: "Let a schedule start no tick until it is resumed",
    body: [PauseScheduleBody],
    answers: { 200: ScheduleBody },
  }),
  route("POST", "/schedules/:name/resume", resume, {
    summary: "Let a paused schedule go on with the moments after now",
    body: [ResumeScheduleBody],
    answers: { 200: ScheduleBody },
  }),
  route("POST", "/schedules/:name/trigger", trigger, {
    summary: "Run a schedule now",
    body: [TriggerBody],
    answers: { 202: TriggerAnswer },
    codes: INVALID,
  }),
  route("POST", "/schedules/:name/backfill", backfill, {
    summary: "Run the moments of a range, each once",
    body: [BackfillRequest],
    answers: { 202: BackfillAnswer },
    codes: INVALID,
  }),
];

async function listSchedules({ engine }: AdminRequest): Promise<HttpResponse> {
  const all = await readSchedules(engine);
  return jsonResponse(200, { schedules: all.map((one) => scheduleBody(engine, one, 1)) });
}

async function createSchedule({ engine, request }: AdminRequest): Promise<HttpResponse> {
  const body = readJsonBody(request, NewScheduleBody);
  const stored = await createNew(engine, planOfBody(body.name, body));
  return jsonResponse(201, wholeScheduleBody(engine, stored), { location: `schedules/${body.name}` });
}

async function applySet({ engine, request }: AdminRequest): Promise<HttpResponse> {
  const { dry_run: isDry } = readQuery(request, ApplyQuery);
  const { schedules } = readJsonBody(request, ScheduleSetBody);
  const plans = schedules.map((body) => planOfBody(body.name, body));
  return jsonResponse(200, { ...(await applySchedules(engine, plans, { isDry })), dry_run: isDry });
}

async function showSchedule(asked: AdminRequest): Promise<HttpResponse> {
  const name = pathParam(asked, "name");
  return shown(asked, name, await readSchedule(asked.engine, name));
}

async function putScheduleRoute(asked: AdminRequest): Promise<HttpResponse> {
  const { engine, request } = asked;
  const name = pathParam(asked, "name");
  const body = readJsonBody(request, ChangeScheduleBody);
  if (body.name !== undefined && body.name !== name)
    throw invalidSchedule(
      `the path names the schedule '${name}', and the body '${body.name}'; leave the name out of the body`,
    );
  const { kind, stored } = await putSchedule(engine, planOfBody(name, body));
  return jsonResponse(kind === "created" ? 201 : 200, wholeScheduleBody(engine, stored));
}

async function deleteSchedule(asked: AdminRequest): Promise<HttpResponse> {
  const name = pathParam(asked, "name");
  if (!(await removeSchedule(asked.engine, name))) throw unknownSchedule(name);
  return emptyResponse(202);
}

async function pause(asked: AdminRequest): Promise<HttpResponse> {
  const { engine, request } = asked;
  const name = pathParam(asked, "name");
  const { note } = readJsonBody(request, PauseScheduleBody);
  const by = request.caller;
  const how = { ...(note !== undefined && { note }), ...(by !== undefined && { by }) };
  return shown(asked, name, await pauseSchedule(engine, name, how));
}

async function resume(asked: AdminRequest): Promise<HttpResponse> {
  const name = pathParam(asked, "name");
  readJsonBody(asked.request, ResumeScheduleBody);
  return shown(asked, name, await resumeSchedule(asked.engine, name));
}

async function trigger(asked: AdminRequest): Promise<HttpResponse> {
  const { engine, request } = asked;
  const name = pathParam(asked, "name");
  const { request_id: requestId } = readJsonBody(request, TriggerBody);
  const triggered = await triggerSchedule(engine, name, requestId);
  if (triggered === undefined) throw unknownSchedule(name);
  const { invocationId, isNew } = triggered;
  return jsonResponse(202, { invocation_id: invocationId, status: isNew ? "accepted" : "previously-accepted" });
}

async function backfill(asked: AdminRequest): Promise<HttpResponse> {
  const { engine, request } = asked;
  const name = pathParam(asked, "name");
  const { from, to, concurrency = 1 } = readJsonBody(request, BackfillRequest);
  const order = { fromMs: Date.parse(from), belowMs: Date.parse(to), concurrency };
  const ordered = await backfillSchedule(engine, name, order);
  if (ordered === undefined) throw unknownSchedule(name);
  return jsonResponse(202, backfillBody(ordered));
}

function shown({ engine }: AdminRequest, name: string, stored: StoredSchedule | undefined): HttpResponse {
  if (stored === undefined) throw unknownSchedule(name);
  return jsonResponse(200, wholeScheduleBody(engine, stored));
}

function unknownSchedule(name: string): HttpProblem {
  return new HttpProblem(
    404,
    `There is no schedule '${name.slice(0, 120)}'; 'stepwell schedules list' shows those that exist`,
  );
}
