/**
 * Handlers that are registered by the deployment of their stack: two versions side by side, an invalid one, and one that is
 * removed.
 */
import { beforeAll, expect, test } from "vitest";
import { serveHandlers } from "./url-deployment.ts";
import { aws, ControlPlane, until } from "./control-plane.ts";
import { timed } from "./deployments/timed.ts";
import { synthesiseShop } from "./deployments/shop-stack.ts";
import { assembly, bundleShop, deployAssembly, destroyAssembly } from "./deployments/stacks.mjs";

const STACK = "StepwellE2eShop";
const [ADMIN_ID] = aws.plain.admin.host.split(".");

const plane = new ControlPlane(aws.plain);
/** Ids of deployments, by the version of the handlers. */
const ids: Record<string, string> = {};

beforeAll(async () => {
  const passingUrl = await serveHandlers("passing", { greet: async () => "hello" });
  const codeFolder = await timed("the handlers are bundled", bundleShop);
  for (const version of ["1", "2", "garbage"]) {
    synthesiseShop(assembly(version), {
      stackName: STACK,
      // The control plane may call functions whose names begin with this text.
      functionName: "stepwell-e2e-handlers-shop",
      version,
      codeFolder,
      passingUrl,
      controlPlane: {
        environment: "stepwell-e2e",
        url: `${aws.endpoint}/_aws/execute-api/${ADMIN_ID}/$default`,
        arn: `arn:aws:execute-api:us-east-1:000000000000:${ADMIN_ID}`,
      },
    });
  }
});

async function deploy(version: string): Promise<{ readonly Deployment: string; readonly PassingDeployment: string }> {
  const outputs = await timed(`version ${version} is deployed`, () => deployAssembly(aws.endpoint, version, STACK));
  return outputs as never;
}

async function deployments(): Promise<readonly unknown[]> {
  const { text } = await plane.askAdmin({ path: "/deployments" });
  return (JSON.parse(text) as { readonly deployments: readonly unknown[] }).deployments;
}

test("the handlers of a stack can be called once it is deployed", async () => {
  const { Deployment, PassingDeployment } = await deploy("1");
  ids["1"] = Deployment;
  expect(await plane.answer("shop/version", undefined)).toBe("1");
  expect(await plane.answer("passing/greet", undefined)).toBe("hello");
  const shown = JSON.stringify(await deployments());
  for (const id of [Deployment, PassingDeployment]) expect(shown).toContain(`"${id}"`);
});

test("a new version serves new calls, and the old one ends its open invocations", async () => {
  const order = await plane.send("shop/order", undefined);
  const pack = await plane.send("shop/pack", undefined);
  const done = await plane.send("shop/version", undefined);
  expect(await plane.result(done)).toBe("1");
  await plane.untilStatus(order, "suspended");
  await until("it has failed", async () => (await plane.shown(pack)).last_failure);
  await plane.change(pack, "pause");
  await plane.untilStatus(pack, "paused");

  const { Deployment } = await deploy("2");
  ids["2"] = Deployment;
  expect(Deployment).not.toBe(ids["1"]);
  expect(await plane.answer("shop/version", undefined)).toBe("2");
  await plane.send("shop/pay", order);
  expect(await plane.result(order)).toBe("begun by 1, paid, ended by 1");
  expect((await plane.shown(order)).pinned_deployment_id).toBe(ids["1"]);

  expect(await plane.change(pack, `resume?deployment=${Deployment}`)).toBe(200);
  expect(await plane.result(pack)).toBe("begun by 1, ended by 2");
  expect((await plane.shown(pack)).pinned_deployment_id).toBe(Deployment);

  for (const version of ["1", "2"]) {
    expect(await restarted(done, `?deployment=${ids[version]}`)).toBe(version);
  }
  expect(await restarted(done, "")).toBe("2");
});

async function restarted(id: string, query: string): Promise<unknown> {
  const { status, text } = await plane.askAdmin({
    method: "PATCH",
    path: `/invocations/${id}/restart-as-new${query}`,
  });
  expect([status, text]).toEqual([200, expect.stringContaining("new_invocation_id")]);
  return await plane.result((JSON.parse(text) as { readonly new_invocation_id: string }).new_invocation_id);
}

test("an unchanged deployment changes nothing", async () => {
  const before = await deployments();
  expect((await deploy("2")).Deployment).toBe(ids["2"]);
  expect(await deployments()).toEqual(before);
});

test("a function that is not a handler fails its stack with the reason in one line, and the former version goes on", async () => {
  const before = await deployments();
  const failure = await deploy("garbage").then(
    () => undefined,
    (error: Error) => error.message,
  );
  const [reason] = /arn:\S+ is not registered: \[META0003\].*/.exec(failure!) ?? [];
  expect(reason, failure).toBeDefined();
  console.log(`CloudFormation's reason: ${reason}`);
  expect(await deployments()).toEqual(before);
  expect(await plane.answer("shop/version", undefined)).toBe("2");
  expect(await plane.answer("passing/greet", undefined)).toBe("hello");
});

test("a deployment with removeOnDelete is removed with its stack, and the others stay for their invocations", async () => {
  const { length } = await deployments();
  await timed("the stack is taken away", () => destroyAssembly(aws.endpoint, "2", STACK));
  const left = await deployments();
  expect(left).toHaveLength(length - 1);
  for (const version of ["1", "2"]) expect(JSON.stringify(left)).toContain(`"${ids[version]}"`);
  expect((await plane.call("passing/greet", undefined)).status).toBe(404);
});
