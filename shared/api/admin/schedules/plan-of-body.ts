/** Reads a plan of a schedule from the body of a request. */
import type * as z from "zod";
import { parseDurationMs } from "../../../core/model/duration.ts";
import type { Header } from "../../../core/model/header.ts";
import { LIMIT_KEY_FORM, parseLimitKey, parseScope, SCOPE_FORM } from "../../../core/model/scope.ts";
import { invalidSchedule } from "../../../core/schedules/check-plan.ts";
import {
  CATCH_UP_DEFAULT_MS,
  INPUT_MAX_BYTES,
  type SchedulePlan,
  type Timing,
} from "../../../core/schedules/schedule.ts";
import type { ChangeScheduleBody } from "../../contract/schedules.ts";

type Body = z.output<typeof ChangeScheduleBody>;

const CONTENT_TYPE = "content-type";
const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/;
const HEADER_NAME = /^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,256}$/;
const HEADER_VALUE = /^[\x20-\x7e\x80-\xff\t]{0,8192}$/;

/** @throws CodedError META0901 */
export function planOfBody(name: string, body: Body): SchedulePlan {
  const { start, end, count } = body;
  const { input, contentType } = inputOf(name, body);
  return {
    name,
    ...addresseeOf(name, body),
    input,
    headers: headersOf(name, body.headers ?? {}, contentType),
    timing: timingOf(name, body),
    jitterMs: body.jitter === undefined ? 0 : durationOf(name, "jitter", body.jitter),
    ...(start !== undefined && { startAtMs: Date.parse(start) }),
    ...(end !== undefined && { endAtMs: Date.parse(end) }),
    ...(count !== undefined && { count }),
    overlap: body.overlap ?? "skip",
    catchUpMs: body.catch_up === undefined ? CATCH_UP_DEFAULT_MS : durationOf(name, "catch_up", body.catch_up),
  };
}

function addresseeOf(
  name: string,
  { service, handler, key, scope: givenScope, limit_key: givenKey }: Body,
): Pick<SchedulePlan, "target" | "limitKey"> {
  const scope = givenScope === undefined ? undefined : parseScope(givenScope);
  if (givenScope !== undefined && scope === undefined)
    throw invalidSchedule(
      `'${givenScope.slice(0, 60)}', the scope of '${name}', is no scope; a scope is ${SCOPE_FORM}, such as 'acme'`,
    );
  const limitKey = givenKey === undefined ? undefined : parseLimitKey(givenKey);
  if (givenKey !== undefined && limitKey === undefined)
    throw invalidSchedule(
      `'${givenKey.slice(0, 90)}', the limit key of '${name}', is none; a limit key is ${LIMIT_KEY_FORM}, such as 'acme/reports'`,
    );
  if (limitKey !== undefined && scope === undefined)
    throw invalidSchedule(
      `'${name}' has the limit key '${limitKey}' and no scope; a limit key counts within a scope, such as "scope": "acme"`,
    );
  const target = { service, handler, ...(key !== undefined && { key }), ...(scope !== undefined && { scope }) };
  return { target, ...(limitKey !== undefined && { limitKey }) };
}

function timingOf(name: string, { cron, interval, time_zone: timeZone }: Body): Timing {
  if ((cron === undefined) === (interval === undefined)) {
    const what = cron === undefined ? "neither 'cron' nor 'interval'" : "both 'cron' and 'interval'";
    throw invalidSchedule(
      `'${name}' has ${what}; it has exactly one of them, such as "cron": "0 2 * * *" or "interval": "15m"`,
    );
  }
  if (cron !== undefined) return { kind: "cron", expression: cron.trim(), timeZone: timeZone ?? "UTC" };
  if (timeZone !== undefined)
    throw invalidSchedule(
      `'${name}' has an interval and the time zone '${timeZone}'; only 'cron' has a zone, such as "cron": "0 2 * * *", "time_zone": "Europe/Berlin"`,
    );
  return { kind: "interval", everyMs: durationOf(name, "interval", interval!) };
}

function durationOf(name: string, member: string, text: string): number {
  const ms = parseDurationMs(text);
  if (ms !== undefined) return ms;
  throw invalidSchedule(
    `'${text.slice(0, 60)}', the ${member} of '${name}', is no duration; write a number with a unit, such as '90s', '15m' or '1h 30m'`,
  );
}

function inputOf(
  name: string,
  { input, input_base64: base64, content_type: contentType }: Body,
): { readonly input: Uint8Array; readonly contentType?: string } {
  if (input !== undefined && base64 !== undefined)
    throw invalidSchedule(`'${name}' has both 'input' and 'input_base64'; it has one of them, or none`);
  if (base64 !== undefined) {
    if (base64.length > INPUT_MAX_BYTES * 2 || base64.length % 4 !== 0 || !BASE64.test(base64))
      throw invalidSchedule(
        `the input_base64 of '${name}' is no base64 of at most ${INPUT_MAX_BYTES} bytes, such as 'aGVsbG8='`,
      );
    const bytes = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
    return { input: bytes, contentType: contentType ?? "application/octet-stream" };
  }
  if (input === undefined) return { input: new Uint8Array(0), ...(contentType !== undefined && { contentType }) };
  return {
    input: new TextEncoder().encode(JSON.stringify(input)),
    contentType: contentType ?? "application/json",
  };
}

function headersOf(
  name: string,
  given: Readonly<Record<string, string>>,
  contentType: string | undefined,
): readonly Header[] {
  const headers = Object.entries(given).map(([key, value]) => ({ key: key.toLowerCase(), value }));
  for (const { key, value } of headers) {
    if (!HEADER_NAME.test(key) || !HEADER_VALUE.test(value))
      throw invalidSchedule(
        `the header '${key.slice(0, 60)}' of '${name}' cannot be sent; a header has a name of letters, digits and '-', and one line of text, such as "x-tenant": "acme"`,
      );
    if (key === CONTENT_TYPE)
      throw invalidSchedule(`'${name}' has a header 'content-type'; write it as the member "content_type"`);
  }
  const all = contentType === undefined ? headers : [{ key: CONTENT_TYPE, value: contentType }, ...headers];
  return all.toSorted((one, other) => (one.key < other.key ? -1 : 1));
}
