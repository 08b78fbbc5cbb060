/** The errors of deadlines, as callers get them over HTTP. */
import { expect, test } from "vitest";
import { ERRORS } from "../../shared/core/errors/error-table.ts";
import { manifestOf } from "../api/admin/sample-endpoint.ts";
import { startFrameDeployment, type Script } from "./frame-deployment.ts";
import { openStage } from "./stage.ts";

const silent: Script = () => undefined;

const OBJECT = { name: "Door", ty: "VIRTUAL_OBJECT", handlers: [{ name: "open", ty: "EXCLUSIVE" }] };

async function opened() {
  const stage = await openStage({ "deadline-grace": "50ms" });
  const deployment = await startFrameDeployment(silent);
  deployment.manifest = manifestOf([OBJECT]);
  expect((await stage.register(deployment.uri)).status).toBe(201);
  const call = async (path: string, headers: Readonly<Record<string, string>>) => {
    const response = await fetch(`${stage.local.ingressUrl}${path}`, { method: "POST", headers });
    return {
      status: response.status,
      body: (await response.json()) as { code: number; message: string; source: string },
    };
  };
  return { stage, deployment, call };
}

test("a call that waits longer for its key than x-stepwell-start-within allows gets RT0910, and its handler does not run", async () => {
  const { stage, deployment, call } = await opened();
  await stage.send("Door/a/open");
  await expect.poll(() => deployment.attempts.length).toBe(1);
  const { status, body } = await call("Door/a/open", { "x-stepwell-start-within": "100ms" });
  expect(status).toBe(ERRORS.RT0910.outcome.status);
  expect(body).toMatchObject({
    code: 408,
    source: "invocation",
    message: expect.stringMatching(/^\[RT0910\] .* 100ms/),
  });
  expect(deployment.attempts).toHaveLength(1);
});

test("a call whose handler runs longer than x-stepwell-end-within and the grace gets RT0911", async () => {
  const { call } = await opened();
  const { status, body } = await call("Door/b/open", { "x-stepwell-end-within": "PT0.1S" });
  expect(status).toBe(ERRORS.RT0911.outcome.status);
  expect(body).toMatchObject({
    code: 504,
    source: "invocation",
    message: expect.stringMatching(/^\[RT0911\] .* 100ms/),
  });
});

test("a request cannot inherit a deadline, and a deadline is a duration", async () => {
  const { call } = await opened();
  expect(await call("Door/c/open", { "x-stepwell-end-within": "inherit" })).toMatchObject({
    status: 400,
    body: { message: expect.stringContaining("a request over HTTP needs a duration, such as '10m'") },
  });
  expect(await call("Door/c/open", { "x-stepwell-start-within": "5" })).toMatchObject({
    status: 400,
    body: {
      message: "bad header 'x-stepwell-start-within': '5' is no duration from 1ms to 3650d, such as '30s'",
    },
  });
});
