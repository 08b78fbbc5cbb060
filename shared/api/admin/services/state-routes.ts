/** The routes that show and replace the whole state of one key of an object or a workflow. */
import { parseScope, SCOPE_FORM } from "../../../core/model/scope.ts";
import type { KeyOwner } from "../../../core/model/target.ts";
import { editState, stateOf } from "../../../engine/operate/edit-state.ts";
import { STATE_SHOWN_MAX_BYTES } from "../../../engine/lock/stored-state.ts";
import { emptyResponse, jsonResponse, type HttpResponse } from "../../http/message.ts";
import { HttpProblem } from "../../http/problem.ts";
import { EditState, ShowStateQuery, type StateBody } from "../../contract/state.ts";
import { stateVersion } from "../../wire/state-version.ts";
import { type AdminRequest, route, pathParam, PlainRefusal } from "../requests/admin-request.ts";
import { readJsonBody, readQuery } from "../requests/json-body.ts";

type Values = ReadonlyMap<string, Uint8Array>;

/** The document shows these routes by their path and method only. */
export const STATE_ROUTES = [
  route("GET", "/services/:service/state", showState),
  route("POST", "/services/:service/state", editStateRoute),
];

/** Values are arrays of byte numbers, the same form as in an edit; `utf8` is present for texts. */
async function showState(asked: AdminRequest): Promise<HttpResponse> {
  const { object_key: key, scope } = readQuery(asked.request, ShowStateQuery);
  const service = pathParam(asked, "service");
  const owner = { service, key, ...inScope(scope) };
  await keyedType(asked, service, "show");
  const values = await stateOf(asked.engine, owner);
  if (values === undefined) throw tooLarge(owner);
  const body: StateBody = {
    object_key: key,
    version: await stateVersion(values),
    state: Object.fromEntries([...values].map(([name, value]) => [name, shown(value)])),
  };
  return jsonResponse(200, body);
}

/** The answer lists each byte as a number, which takes many times its size. */
function tooLarge(owner: KeyOwner): HttpProblem {
  const scope = owner.scope === undefined ? "scope IS NULL" : `scope = '${owner.scope}'`;
  return new HttpProblem(
    413,
    `The state of ${keyText(owner)} is larger than the ${STATE_SHOWN_MAX_BYTES} bytes that are shown as a whole; ` +
      `ask for its names: SELECT key, value_length FROM state WHERE service_name = '<service>' AND service_key = '<key>' AND ${scope}`,
  );
}

function shown(value: Uint8Array): StateBody["state"][string] {
  try {
    return { bytes: [...value], utf8: new TextDecoder("utf-8", { fatal: true }).decode(value) };
  } catch {
    return { bytes: [...value] };
  }
}

/** 202: the edit is applied, or waits for its turn behind the holder of the key. */
async function editStateRoute(asked: AdminRequest): Promise<HttpResponse> {
  const { engine, request } = asked;
  const {
    object_key: key,
    new_state,
    version,
    scope,
  } = readJsonBody(request, EditState, {
    numbersAreFree: true,
    check: refuseLongState,
  });
  const service = pathParam(asked, "service");
  const owner = { service, key, ...inScope(scope) };
  const values = new Map(Object.entries(new_state));
  const latest = (await engine.registry.services()).find((one) => one.service.name === service);
  // If the service is unregistered and the new state is empty, there is nothing to do.
  if (latest === undefined && values.size === 0) return emptyResponse(202);
  const type = await keyedType(asked, service, "modify");
  const isExpected = version === undefined ? undefined : async (now: Values) => (await stateVersion(now)) === version;
  const edited = await editState(engine, owner, type, values, isExpected);
  if (edited !== "outdated") return emptyResponse(202);
  throw new HttpProblem(
    409,
    `The state of ${keyText(owner)} no longer has version '${version}'; read it again and repeat the change`,
  );
}

/** Each name may need a separate write, and invocations of the object wait for all writes. */
const KEYS_MAX = 5_000;

/** @throws PlainRefusal 400 for too many names, 422 for an array that contains anything but bytes */
function refuseLongState(parsed: unknown): void {
  const state = (parsed as { readonly new_state?: unknown } | null)?.new_state;
  if (typeof state !== "object" || state === null) return;
  const entries = Object.entries(state);
  if (entries.length > KEYS_MAX) {
    throw new PlainRefusal(400, `The state has ${entries.length} keys; one edit may have ${KEYS_MAX}`);
  }
  const wrong = entries.find(([, value]) => Array.isArray(value) && !value.every(isByte));
  if (wrong === undefined) return;
  throw new PlainRefusal(
    422,
    `Failed to deserialize the JSON body into the target type: new_state.${wrong[0]}: expected bytes, numbers from 0 to 255`,
  );
}

function isByte(value: unknown): boolean {
  return Number.isInteger(value) && (value as number) >= 0 && (value as number) <= 255;
}

/** @throws HttpProblem 500, not 400, for a malformed scope, as existing clients expect */
function inScope(text: string | undefined): Pick<KeyOwner, "scope"> {
  if (text === undefined) return {};
  const scope = parseScope(text);
  if (scope === undefined) throw new HttpProblem(500, `bad scope value: '${text}' is not ${SCOPE_FORM}`);
  return { scope };
}

function keyText({ service, key = "", scope }: KeyOwner): string {
  return `'${service}/${key}'${scope === undefined ? "" : ` in the scope '${scope}'`}`;
}

/** @throws HttpProblem 404 for an unknown service, 400 for a service without state */
async function keyedType(
  { engine }: AdminRequest,
  name: string,
  verb: "show" | "modify",
): Promise<"object" | "workflow"> {
  const latest = (await engine.registry.services()).find(({ service }) => service.name === name);
  if (latest === undefined) throw new HttpProblem(404, `The requested service '${name}' does not exist`);
  const { type } = latest.service;
  if (type === "service") throw new HttpProblem(400, `Cannot ${verb} state for service type Service`);
  return type;
}
