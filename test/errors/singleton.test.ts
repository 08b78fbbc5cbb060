/** The errors of singleton keys, as callers get them over HTTP. */
import { expect, test } from "vitest";
import { ERRORS } from "../../shared/core/errors/error-table.ts";
import { manifestOf } from "../api/admin/sample-endpoint.ts";
import { end, GREETER, output, replying, startFrameDeployment, type Script } from "./frame-deployment.ts";
import { openStage } from "./stage.ts";

const silent: Script = () => undefined;
const RUN = { name: "Flow", ty: "WORKFLOW", handlers: [{ name: "run", ty: "WORKFLOW" }] };

async function opened() {
  const stage = await openStage({ "deadline-grace": "50ms" });
  const deployment = await startFrameDeployment(silent);
  deployment.manifest = manifestOf([GREETER, RUN]);
  expect((await stage.register(deployment.uri)).status).toBe(201);
  const ask = async (path: string, headers: Readonly<Record<string, string>> = {}) => {
    const singleton = { "x-stepwell-singleton": "k", ...headers };
    const response = await fetch(`${stage.local.ingressUrl}${path}`, { method: "POST", headers: singleton });
    const text = await response.text();
    const body = (text.startsWith("{") ? JSON.parse(text) : { text }) as Record<string, unknown>;
    return { status: response.status, id: response.headers.get("x-restate-id"), body };
  };
  return { stage, deployment, ask };
}

test("a duplicate that asks to be refused gets RT0912 with the id of the current invocation", async () => {
  const { ask } = await opened();
  const { id } = await ask("Greeter/greet/send");
  const { status, body, id: named } = await ask("Greeter/greet", { "x-stepwell-on-duplicate": "refuse" });
  expect([status, named]).toEqual([ERRORS.RT0912.outcome.status, id]);
  expect(body).toMatchObject({ source: "ingress", message: expect.stringMatching(/^\[RT0912\] .*: inv_\w+ is open$/) });
  expect(await ask("Greeter/greet/send")).toMatchObject({ status: 202, id, body: { status: "PreviouslyAccepted" } });
});

test("a caller whose invocation is replaced gets RT0913 with the id of the new one", async () => {
  const { deployment, ask, stage } = await opened();
  const former = ask("Greeter/greet");
  await expect.poll(() => deployment.attempts.length).toBe(1);
  deployment.script = replying(output("new"), end());
  const next = await ask("Greeter/greet", { "x-stepwell-on-duplicate": "replace" });
  expect([next.status, next.body]).toEqual([200, { text: "new" }]);
  const { status, body, id } = await former;
  expect(status).toBe(ERRORS.RT0913.outcome.status);
  expect(body).toMatchObject({
    source: "invocation",
    message: expect.stringMatching(new RegExp(`RT0913.*${next.id}$`)),
  });
  expect(await stage.show(String(id))).toMatchObject({ status: "completed", singleton_key: "k" });
});

test("a debounced call is answered with the result of the last one", async () => {
  const { deployment, ask } = await opened();
  deployment.script = replying(output("done"), end());
  const debounce = { "x-stepwell-debounce": "300ms" };
  const first = ask("Greeter/greet", debounce);
  await expect.poll(async () => (await ask("Greeter/greet/send")).status).toBe(202);
  const second = ask("Greeter/greet", debounce);
  expect([(await first).status, (await second).status]).toEqual([409, 200]);
  expect(deployment.attempts).toHaveLength(1);
});

test.each([
  ["Flow/a/run", {}, "a workflow runs once per workflow key by itself"],
  ["Greeter/greet", { "idempotency-key": "i" }, "Leave one of the two out"],
  ["Greeter/greet/send?delay=1s", { "x-stepwell-debounce": "1s" }, "both say when the invocation starts"],
])("a request to %s with %j is refused", async (path, headers, why) => {
  const { ask } = await opened();
  expect(await ask(path, headers)).toMatchObject({ status: 400, body: { message: expect.stringContaining(why) } });
});
