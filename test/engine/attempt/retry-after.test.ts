/** The retry-after header of an unhealthy deployment, in each of the forms of HTTP. */
import { expect, test } from "vitest";
import { inTimeZone, TIME_ZONES } from "../../in-time-zone.ts";

const PROGRAM = `
import { failureOfHead } from "./shared/engine/attempt/attempt-failures.ts";

const nowMs = Date.UTC(2026, 11, 31, 23, 59, 30);

export default async () =>
  [
    "60",
    "Fri, 01 Jan 2027 00:00:30 GMT",
    "Friday, 01-Jan-27 00:00:30 GMT",
    "Fri Jan  1 00:00:30 2027",
    "Thu Dec 31 23:59:29 2026",
    "soon",
  ].map((header) => {
    const ending = failureOfHead(nowMs, { status: 503, headers: { "retry-after": header } }, 7);
    return ending.nextRetryDelayMs ?? null;
  });
`;

test.each(TIME_ZONES)("every form of a date is the same moment, in %s too", async (zone) => {
  expect(await inTimeZone(zone, PROGRAM)).toEqual([60_000, 60_000, 60_000, 60_000, null, null]);
});
