/** Tests the route of the overview, and those parameters of the list of invocations that pages of the web UI use. */
import { afterAll, beforeAll, expect, test } from "vitest";
import type { OverviewBody } from "../../../shared/api/contract/overview.ts";
import { type AdminPlane, openAdminPlane } from "./admin-plane.ts";

let plane: AdminPlane;
beforeAll(async () => {
  plane = await openAdminPlane();
});
afterAll(() => plane.close());

test("the overview of an empty environment has sixty empty minutes and counts of zero", async () => {
  const { status, json } = await plane.ask("GET", "/internal/overview");
  const body = json as OverviewBody;
  expect(status).toBe(200);
  expect(body).toMatchObject({ attention: [], overdue: 0, open: { paused: 0, running: 0 } });
  expect(body.ended?.minutes).toHaveLength(60);
  expect(body.ended?.minutes.at(-1)).toMatchObject({ succeeded: 0, failed: 0, cancelled: 0, killed: 0 });
});

test("the counts of services are empty while nothing is open, and say since when failures are counted", async () => {
  const { status, json } = await plane.ask("GET", "/internal/service-counts");
  expect([status, json]).toEqual([200, { services: [], failed_since: expect.any(String) }]);
});

test("the OpenAPI document describes each member of the overview", async () => {
  const { json } = await plane.ask("GET", "/openapi");
  const { properties } = json.components.schemas.Overview;
  expect(Object.keys(properties)).toEqual(["attention", "causes", "circuits", "open", "overdue", "at_least", "ended"]);
});

test.each(["created_after=yesterday", "created_before=2026-13-99T99:99Z", "waits=maybe"])(
  "a list with %s is refused with the name of the parameter",
  async (query) => {
    const { status, text } = await plane.ask("GET", `/invocations?${query}`);
    expect(status).toBe(400);
    expect(text).toContain(query.split("=")[0]);
  },
);
