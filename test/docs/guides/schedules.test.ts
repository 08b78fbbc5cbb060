/** The example of docs/schedules.md does what the page says, on a local process with the SDK. */
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { reports } from "../../../examples/guides/reports.ts";
import schedules from "../../../examples/guides/schedules.json" with { type: "json" };
import type { ScheduleBody } from "../../../shared/api/contract/schedules.ts";
import { fetch } from "../../harness/local/admin-access.ts";
import { openLocalStage, type LocalStage } from "../../harness/local/local-stage.ts";
import { SEEN_WITHIN } from "../../patience.ts";

let stage: LocalStage;
beforeAll(async () => {
  stage = await openLocalStage({ services: [reports] });
});
afterAll(() => stage.close());

async function ask(method: string, path: string, body?: object): Promise<unknown> {
  const headers = { "content-type": "application/json" };
  const sent = body === undefined ? {} : { headers, body: JSON.stringify(body) };
  const answer = await fetch(`${stage.adminUri}/${path}`, { method, ...sent });
  expect(answer.ok, `${method} ${path}`).toBe(true);
  return await answer.json();
}

const shown = async (): Promise<ScheduleBody> => (await ask("GET", "schedules/nightly")) as ScheduleBody;

test("the file is applied, and a backfill makes the report of each of its days", async () => {
  expect(await ask("PUT", "schedules", schedules)).toMatchObject({ created: ["hourly", "nightly"] });
  await ask("POST", "schedules/nightly/backfill", { from: "2026-01-01T00:00:00Z", to: "2026-01-04T00:00:00Z" });
  const runs = await vi.waitFor(async () => {
    const ended = (await shown()).runs.filter(({ outcome }) => outcome === "succeeded");
    expect(ended).toHaveLength(3);
    return ended;
  }, SEEN_WITHIN);
  const outputs = await Promise.all(
    runs.map(async ({ invocation_id: id }) => {
      const answer = await fetch(`${stage.ingressUri}/restate/invocation/${id}/output`);
      return (await answer.json()) as string;
    }),
  );
  expect(outputs.toSorted()).toEqual(["acme 2026-01-01", "acme 2026-01-02", "acme 2026-01-03"]);
});

test("a trigger runs at once, and the schedule shows it", async () => {
  await ask("POST", "schedules/nightly/trigger", {});
  await vi.waitFor(async () => {
    const { runs } = await shown();
    expect(runs.find(({ kind }) => kind === "trigger")?.outcome).toBe("succeeded");
  }, SEEN_WITHIN);
});
