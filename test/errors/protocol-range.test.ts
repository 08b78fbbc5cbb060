/** Tests registrations and invocations after the range of protocol versions is narrowed, or a part of it deprecated. */
import { expect, onTestFinished, test } from "vitest";
import { removeDirectory, temporaryDirectory } from "../contracts/temporary-directory.ts";
import { manifestOf } from "../api/admin/sample-endpoint.ts";
import {
  call,
  end,
  error,
  GREETER,
  output,
  replying,
  startFrameDeployment,
  step,
  type FrameDeployment,
  type Script,
} from "./frame-deployment.ts";
import { expectRefusal } from "./refusal.ts";
import { openStage, type ErrorStage } from "./stage.ts";

type Settings = Parameters<typeof openStage>[0];

const NARROWED = { "worker.invoker.min-protocol-version": "6" };
const DEPRECATED = { "worker.invoker.deprecated-below-protocol-version": "7" };
const HEALTHY = replying(output("hello"), end());
const FAILING = replying(error(500, "not yet"));

interface Before {
  readonly stage: ErrorStage;
  readonly deployment: FrameDeployment;
  /** Starts again on the same data. */
  again(settings: Settings): Promise<ErrorStage>;
}

/** A deployment that speaks only one version, and is registered while the server still speaks all. */
async function before(version: number, script: Script, service: object = GREETER): Promise<Before> {
  const dir = await temporaryDirectory();
  onTestFinished(() => removeDirectory(dir));
  const stage = await openStage({ "data-dir": dir });
  const deployment = await startFrameDeployment(script);
  deployment.manifest = manifestOf([service], { minProtocolVersion: version, maxProtocolVersion: version });
  expect((await stage.register(deployment.uri)).status).toBe(201);
  return {
    stage,
    deployment,
    async again(settings) {
      await stage.local.stop();
      return await openStage({ "data-dir": dir, ...settings });
    },
  };
}

test("attempts on a deployment without a supported version fail with RT0013 until its version is supported again", async () => {
  const { stage, again, deployment } = await before(5, FAILING);
  const id = await stage.send("Greeter/greet");
  await stage.lastFailure(id, "RT0007");
  const narrowed = await again(NARROWED);
  expect((await narrowed.lastFailure(id, "RT0013")).message).toMatch(/'Greeter' speaks no protocol version/);
  await narrowed.local.stop();
  deployment.script = HEALTHY;
  expect(await (await again({})).result(id)).toBe("200 hello");
});

test("an invocation that began with a version no longer supported fails with RT0014 until the version is supported again", async () => {
  const { stage, again, deployment } = await before(5, replying(step(), error(500, "not yet")));
  const id = await stage.send("Greeter/greet");
  await stage.lastFailure(id, "RT0007");
  const narrowed = await again(NARROWED);
  expect((await narrowed.lastFailure(id, "RT0014")).message).toMatch(/protocol version 5 .* no longer supported/);
  await narrowed.local.stop();
  deployment.script = HEALTHY;
  expect(await (await again({})).result(id)).toBe("200 hello");
});

test("a deprecated version takes no new call from outside or from a handler, and open invocations finish", async () => {
  const { stage, again, deployment } = await before(6, replying(step(), error(500, "not yet")));
  const id = await stage.send("Greeter/greet");
  await stage.lastFailure(id, "RT0007");
  const deprecating = await again(DEPRECATED);
  for (const path of ["Greeter/greet", "Greeter/greet/send"]) {
    const response = await fetch(`${deprecating.local.ingressUrl}${path}`, { method: "POST" });
    const { message, source } = (await response.json()) as { message: string; source: string };
    expect([response.status, source]).toEqual([400, "ingress"]);
    expect(message).toMatch(/^\[RT0020\] .*speaks protocol version 6 at most, and new work begins at 7/);
  }
  const caller = await startFrameDeployment(replying(call("Greeter", "greet"), end()));
  caller.manifest = manifestOf([{ name: "Caller", ty: "SERVICE", handlers: [{ name: "run" }] }]);
  expect((await deprecating.register(caller.uri)).status).toBe(201);
  const calling = await deprecating.send("Caller/run");
  expect((await deprecating.lastFailure(calling, "RT0020")).message).toMatch(/new work begins at 7/);
  deployment.script = HEALTHY;
  expect(await deprecating.result(id)).toBe("200 hello");
});

test("the registration of a deployment that speaks only deprecated or unsupported versions is refused with META0012", async () => {
  for (const settings of [DEPRECATED, { "worker.invoker.min-protocol-version": "7" }]) {
    const stage = await openStage(settings);
    const deployment = await startFrameDeployment();
    deployment.manifest = manifestOf([GREETER], { minProtocolVersion: 5, maxProtocolVersion: 6 });
    expectRefusal(
      await stage.register(deployment.uri),
      "META0012",
      /speaks versions 5 to 6, and this server speaks 7 to 7/,
    );
  }
});

test("the highest version may be lowered, and attempts use it", async () => {
  const stage = await openStage({ "worker.invoker.max-protocol-version": "5" });
  const types: unknown[] = [];
  const deployment = await startFrameDeployment((response, request) => {
    types.push(request.headers["content-type"]);
    HEALTHY(response, request);
  });
  await stage.register(deployment.uri);
  expect(await stage.result(await stage.send("Greeter/greet"))).toBe("200 hello");
  expect(types).toEqual(["application/vnd.restate.invocation.v5"]);
});

test("a range whose minimum is above its maximum refuses the start with RT0002", async () => {
  const wrong = { "worker.invoker.min-protocol-version": "7", "worker.invoker.max-protocol-version": "6" };
  await expect(openStage(wrong)).rejects.toMatchObject({ code: "RT0002" });
});
